import type { Job, PlatformClient, Result } from "#platforms/contract.ts";
import type { AddedExtra, Extra, PublicPost } from "#platforms/extras.ts";
import { failed, succeeded, temporary } from "#platforms/fault.ts";
import { bearerHeader, postJson, withQuery } from "#platforms/request-encoding.ts";
import { callPlatform, isOk, parseBody } from "#platforms/response.ts";
import { PlaylistItem, PlaylistItems } from "./answers.ts";
import { toFault } from "./errors.ts";
import { API_URL } from "./hosts.ts";

/*
 * `playlistItems.insert` (50 units) puts a video into a playlist, as often as it is called; `.list` with `videoId` (1 unit) tells
 * whether it is there: developers.google.com/youtube/v3/docs/playlistItems.
 */

const ITEMS_URL = `${API_URL}/playlistItems`;

const idsOf = ({ options: { playlist_ids: ids } }: Job): readonly string[] =>
  Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];

export const playlists: Extra = {
  name: "playlists",
  count: (job) => idsOf(job).length,
  send: async (client, job, post, index) => {
    const playlistId = idsOf(job)[index] ?? "";
    const response = await callPlatform(
      client,
      withQuery(ITEMS_URL, { part: "snippet" }),
      postJson(
        { snippet: { playlistId, resourceId: { kind: "youtube#video", videoId: post.id } } },
        bearerHeader(job.account.accessToken),
      ),
    );
    if (isOk(response)) {
      return parseBody(PlaylistItem, response) ? succeeded(ADDED) : null;
    }
    const fault = toFault(response, job.now);
    return fault.platformCode === "videoAlreadyInPlaylist"
      ? succeeded(ADDED)
      : failed({ ...fault, message: `Playlist ${playlistId}: ${fault.message}` });
  },
  look: async (client, job, post, index) => await findVideo(client, job, post, idsOf(job)[index] ?? ""),
};

/** Several playlists have no id in common. */
const ADDED: AddedExtra = { id: null, url: null };

async function findVideo(
  client: PlatformClient,
  job: Job,
  post: PublicPost,
  playlistId: string,
): Promise<Result<AddedExtra | null>> {
  const url = withQuery(ITEMS_URL, { part: "id", playlistId, videoId: post.id, maxResults: 1 });
  const response = await callPlatform(client, url, { headers: bearerHeader(job.account.accessToken) });
  if (!isOk(response)) {
    return failed(toFault(response, job.now));
  }
  const list = parseBody(PlaylistItems, response);
  return list
    ? succeeded((list.items ?? []).length > 0 ? ADDED : null)
    : failed(temporary("YouTube did not list the playlist.", { httpStatus: response.status }));
}
