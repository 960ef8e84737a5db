import type { JsonObject } from "#core/json.ts";
import type { PublishedExtra, SimulatorContext } from "#sandbox/contract.ts";
import type { Token } from "#sandbox/oauth-server.ts";
import { recordTable } from "#sandbox/record-table.ts";
import { channelsOf } from "./channels.ts";

/* Each simulated channel begins with five playlists, to which videos are added. */

interface PlaylistItem {
  readonly id: string;
  readonly playlist: string;
  readonly videoId: string;
  readonly createdAt: number;
}

const ITEMS = recordTable<PlaylistItem>("playlistItem:");

export const publishedPlaylistItems = (sim: SimulatorContext): PublishedExtra[] =>
  ITEMS.list(sim).map(({ id, playlist, videoId }) => ({ name: "playlists", id, addedTo: videoId, text: playlist }));

export const isOwnPlaylist = (token: Token, playlist: string): boolean =>
  channelsOf(token.login).some(({ id }) => new RegExp(`^${id.replace("UC", "PL")}_[1-5]$`).test(playlist));

/** A video can be in a playlist more than once. */
export function savePlaylistItem(sim: SimulatorContext, playlist: string, videoId: string): JsonObject {
  const item: PlaylistItem = { id: sim.newSecret("UEw").slice(0, 40), playlist, videoId, createdAt: sim.now() };
  ITEMS.save(sim, item.id, { ...item });
  return toJson(item);
}

const toJson = ({ id, playlist, videoId }: PlaylistItem): JsonObject => ({
  kind: "youtube#playlistItem",
  id,
  snippet: { playlistId: playlist, resourceId: { kind: "youtube#video", videoId } },
  contentDetails: { videoId },
});

/** Null if the channel has no such playlist. */
export function listPlaylist(
  sim: SimulatorContext,
  token: Token,
  playlist: string,
  videoId: string | null,
): readonly JsonObject[] | null {
  return isOwnPlaylist(token, playlist)
    ? ITEMS.list(sim)
        .filter((item) => item.playlist === playlist && (videoId === null || item.videoId === videoId))
        .filter((item) => item.createdAt + sim.settings.verify_lag_ms <= sim.now())
        .map(toJson)
    : null;
}
