import { recordTable } from "#sandbox/record-table.ts";
import { toIsoInstant } from "#core/clock.ts";
import type { JsonObject } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import type { Token } from "#sandbox/oauth-server.ts";
import { insufficientScopes, missingParameter, errorResponse } from "./error-responses.ts";
import { channelsOf, uploadsPlaylistId } from "./channels.ts";
import { listPlaylist } from "./playlists.ts";

/*
 * Channels and their videos, and permissions to read and delete them: platforms/youtube.md part 1 (login) and 2.3 (processing and status).
 */

const SCOPE_PREFIX = "https://www.googleapis.com/auth/";
const READ_SCOPES = ["youtube.readonly", "youtube", "youtube.force-ssl"];
const WRITE_SCOPES = ["youtube", "youtube.force-ssl"];
const MAX_PAGE_SIZE = 50;
const DEFAULT_PAGE_SIZE = 5;

export interface Video {
  readonly id: string;
  readonly channel: string;
  readonly login: string;
  readonly title: string;
  readonly description: string;
  readonly categoryId: string;
  readonly privacy: string;
  readonly madeForKids: boolean | null;
  readonly createdAt: number;
  readonly serial: number;
  readonly deleted: boolean;
  /** The custom picture; absent while YouTube shows its own. */
  readonly thumbnailSha256?: string;
}

const VIDEOS = recordTable<Video>("video:");

export const hasAnyScope = (token: Token, names: readonly string[]): boolean =>
  names.some((name) => token.scopes.includes(SCOPE_PREFIX + name));

export function saveVideo(sim: SimulatorContext, video: Video): void {
  VIDEOS.save(sim, video.id, { ...video });
}

export const findVideo = (sim: SimulatorContext, id: string): Video | undefined => VIDEOS.find(sim, id);

/** A marker in the title decides the result of processing: `#sim-failed-codec`, `#sim-rejected-duplicate`. */
function processingOutcome(video: Pick<Video, "title">): JsonObject {
  const { kind, reason } = /#sim-(?<kind>failed|rejected)-(?<reason>\w+)/.exec(video.title)?.groups ?? {};
  switch (kind) {
    case "failed":
      return { uploadStatus: "failed", failureReason: reason ?? "codec" };
    case "rejected":
      return { uploadStatus: "rejected", rejectionReason: reason ?? "duplicate" };
    default:
      return { uploadStatus: "processed" };
  }
}

/** Whether people can watch the video once processing has ended. */
export const becomesWatchable = (video: Pick<Video, "title">): boolean =>
  processingOutcome(video)["uploadStatus"] === "processed";

/** developers.google.com/youtube/v3/docs/videos lists the values of processingDetails. */
function processingDetails(outcome: JsonObject | null): JsonObject {
  if (!outcome) {
    return { processingStatus: "processing" };
  }
  switch (outcome["uploadStatus"]) {
    case "failed":
      return { processingStatus: "failed", processingFailureReason: "transcodeFailed" };
    case "rejected":
      return { processingStatus: "terminated" };
    default:
      return { processingStatus: "succeeded" };
  }
}

/** The answer to an upload: the video has arrived. It never reports the processing, however fast that is. */
export const uploadedResource = (video: Video): JsonObject => videoResource(video, null);

export const hasEnded = (sim: SimulatorContext, video: Video): boolean =>
  video.createdAt + sim.settings.processing_ms <= sim.now();

function videoResource(video: Video, outcome: JsonObject | null): JsonObject {
  return {
    kind: "youtube#video",
    id: video.id,
    snippet: {
      title: video.title,
      description: video.description,
      categoryId: video.categoryId,
      channelId: video.channel,
      publishedAt: toIsoInstant(video.createdAt),
      thumbnails: { default: { url: `https://i.ytimg.com/vi/${video.id}/${video.thumbnailSha256 ?? "default"}.jpg` } },
    },
    status: {
      ...(outcome ?? { uploadStatus: "uploaded" }),
      privacyStatus: video.privacy,
      license: "youtube",
      embeddable: true,
      publicStatsViewable: true,
      ...(video.madeForKids !== null && { selfDeclaredMadeForKids: video.madeForKids }),
    },
    processingDetails: processingDetails(outcome),
  };
}

/** The requested resource parts, or the error if the call names none. */
function requestedParts(url: URL): ReadonlySet<string> | Response {
  const parts = (url.searchParams.get("part") ?? "").split(",").filter(Boolean);
  return parts.length > 0 ? new Set(["kind", "id", ...parts]) : missingParameter("part");
}

const pickParts = (resource: JsonObject, parts: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(resource).filter(([name]) => parts.has(name)));

/** GET /youtube/v3/channels */
export function listChannels(token: Token, url: URL): Response {
  if (!hasAnyScope(token, READ_SCOPES)) {
    return insufficientScopes();
  }
  const parts = requestedParts(url);
  if (parts instanceof Response) {
    return parts;
  }
  if (url.searchParams.get("mine") !== "true") {
    return errorResponse(400, "missingRequiredParameter", "No filter selected.", "global");
  }
  const items = channelsOf(token.login).map((channel) =>
    pickParts(
      {
        kind: "youtube#channel",
        id: channel.id,
        snippet: {
          title: channel.title,
          customUrl: channel.handle,
          thumbnails: { default: { url: `https://yt3.ggpht.com/${channel.id}` } },
        },
        contentDetails: { relatedPlaylists: { uploads: uploadsPlaylistId(channel) } },
        statistics: { subscriberCount: "12" },
        status: { longUploadsStatus: channel.longUploads },
      },
      parts,
    ),
  );
  return Response.json({
    kind: "youtube#channelListResponse",
    pageInfo: { totalResults: items.length, resultsPerPage: DEFAULT_PAGE_SIZE },
    ...(items.length > 0 && { items }),
  });
}

/** GET /youtube/v3/videos: only the owner can read processing details. */
export function listVideos(sim: SimulatorContext, token: Token, url: URL): Response {
  if (!hasAnyScope(token, READ_SCOPES)) {
    return insufficientScopes();
  }
  const parts = requestedParts(url);
  if (parts instanceof Response) {
    return parts;
  }
  const videos = (url.searchParams.get("id") ?? "")
    .split(",")
    .map((id) => findVideo(sim, id))
    .filter((video) => video !== undefined)
    .filter((video) => !video.deleted && (video.login === token.login || video.privacy === "public"));
  if (parts.has("processingDetails") && videos.some((video) => video.login !== token.login)) {
    return errorResponse(403, "forbidden", "The request cannot access processing details of this video.");
  }
  return Response.json({
    kind: "youtube#videoListResponse",
    items: videos.map((video) =>
      pickParts(videoResource(video, hasEnded(sim, video) ? processingOutcome(video) : null), parts),
    ),
  });
}

/** DELETE /youtube/v3/videos */
export function deleteVideo(sim: SimulatorContext, token: Token, url: URL): Response {
  if (!hasAnyScope(token, WRITE_SCOPES)) {
    return insufficientScopes();
  }
  const video = findVideo(sim, url.searchParams.get("id") ?? "");
  if (!video || video.deleted || video.login !== token.login) {
    return errorResponse(404, "videoNotFound", "The video that you are trying to delete cannot be found.");
  }
  saveVideo(sim, { ...video, deleted: true });
  return new Response(null, { status: 204 });
}

/** GET /youtube/v3/playlistItems of a channel's uploads, newest first. */
export function listPlaylistItems(sim: SimulatorContext, token: Token, url: URL): Response {
  if (!hasAnyScope(token, READ_SCOPES)) {
    return insufficientScopes();
  }
  const parts = requestedParts(url);
  if (parts instanceof Response) {
    return parts;
  }
  const playlist = url.searchParams.get("playlistId") ?? "";
  const ofVideo = url.searchParams.get("videoId");
  const filled = listPlaylist(sim, token, playlist, ofVideo);
  if (filled) {
    return Response.json({
      kind: "youtube#playlistItemListResponse",
      items: filled.map((item) => pickParts(item, parts)),
      pageInfo: { totalResults: filled.length, resultsPerPage: MAX_PAGE_SIZE },
    });
  }
  const channel = channelsOf(token.login).find((one) => uploadsPlaylistId(one) === playlist);
  if (!channel) {
    return errorResponse(404, "playlistNotFound", "The playlist cannot be found.", "youtube.playlistItem");
  }
  const size = Number(url.searchParams.get("maxResults") ?? DEFAULT_PAGE_SIZE);
  const offset = Number(url.searchParams.get("pageToken") ?? 0);
  if (!Number.isInteger(size) || size < 0 || size > MAX_PAGE_SIZE || !Number.isInteger(offset)) {
    return errorResponse(400, "invalidParameter", `maxResults must be 0 to ${MAX_PAGE_SIZE}`, "global");
  }
  const all = VIDEOS.list(sim)
    .filter((video) => video.channel === channel.id && !video.deleted && (ofVideo === null || ofVideo === video.id))
    .filter((video) => video.createdAt + sim.settings.verify_lag_ms <= sim.now())
    .toSorted((a, b) => b.createdAt - a.createdAt || b.serial - a.serial);
  const items = all.slice(offset, offset + size).map((video) =>
    pickParts(
      {
        kind: "youtube#playlistItem",
        id: `PLI${video.id}`,
        snippet: {
          title: video.title,
          description: video.description,
          publishedAt: toIsoInstant(video.createdAt),
          resourceId: { kind: "youtube#video", videoId: video.id },
        },
        contentDetails: { videoId: video.id, videoPublishedAt: toIsoInstant(video.createdAt) },
        status: { privacyStatus: video.privacy },
      },
      parts,
    ),
  );
  return Response.json({
    kind: "youtube#playlistItemListResponse",
    items,
    pageInfo: { totalResults: all.length, resultsPerPage: size },
    ...(offset + size < all.length && { nextPageToken: String(offset + size) }),
  });
}
