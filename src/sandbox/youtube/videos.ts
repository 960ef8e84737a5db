import { toInstant } from "#core/clock.ts";
import type { JsonObject } from "#core/json.ts";
import type { Sim } from "#sandbox/contract.ts";
import type { Token } from "#sandbox/grants.ts";
import { insufficient, missingParameter, problem } from "./answers.ts";
import { channelsOf, uploadsOf } from "./channels.ts";

/* What stands on a channel, and who may see and delete it: platforms/youtube.md 1 and 2.3. */

const SCOPE = "https://www.googleapis.com/auth/";
const READ = ["youtube.readonly", "youtube", "youtube.force-ssl"];
const WRITE = ["youtube", "youtube.force-ssl"];
const PAGE_MAX = 50;
const USUAL_PAGE = 5;

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
}

export const hasAny = (session: Token, names: readonly string[]): boolean =>
  names.some((name) => session.scopes.includes(SCOPE + name));

export function save(sim: Sim, video: Video): void {
  sim.store.put(`video:${video.id}`, { ...video });
}

export const find = (sim: Sim, id: string): Video | undefined => sim.store.get(`video:${id}`) as Video | undefined;

/** How a video ends is chosen by a marker in its title: `#sim-failed-codec`, `#sim-rejected-duplicate`. */
function outcomeOf(video: Video): JsonObject {
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

export function resourceOf(sim: Sim, video: Video): JsonObject {
  const isProcessed = video.createdAt + sim.settings.processing_ms <= sim.now();
  return {
    kind: "youtube#video",
    id: video.id,
    snippet: {
      title: video.title,
      description: video.description,
      categoryId: video.categoryId,
      channelId: video.channel,
      publishedAt: toInstant(video.createdAt),
    },
    status: {
      ...(isProcessed ? outcomeOf(video) : { uploadStatus: "uploaded" }),
      privacyStatus: video.privacy,
      license: "youtube",
      embeddable: true,
      publicStatsViewable: true,
      ...(video.madeForKids !== null && { selfDeclaredMadeForKids: video.madeForKids }),
    },
    processingDetails: { processingStatus: isProcessed ? "succeeded" : "processing" },
  };
}

/** The parts a call asks for, or the refusal of one that asks for none. */
function partsOf(url: URL): ReadonlySet<string> | Response {
  const parts = (url.searchParams.get("part") ?? "").split(",").filter(Boolean);
  return parts.length > 0 ? new Set(["kind", "id", ...parts]) : missingParameter("part");
}

const only = (resource: JsonObject, parts: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(resource).filter(([name]) => parts.has(name)));

/** GET /youtube/v3/channels */
export function listChannels(session: Token, url: URL): Response {
  if (!hasAny(session, READ)) {
    return insufficient();
  }
  const parts = partsOf(url);
  if (parts instanceof Response) {
    return parts;
  }
  if (url.searchParams.get("mine") !== "true") {
    return problem(400, "missingRequiredParameter", "No filter selected.", "global");
  }
  const items = channelsOf(session.login).map((channel) =>
    only(
      {
        kind: "youtube#channel",
        id: channel.id,
        snippet: {
          title: channel.title,
          customUrl: channel.handle,
          thumbnails: { default: { url: `https://yt3.ggpht.com/${channel.id}` } },
        },
        contentDetails: { relatedPlaylists: { uploads: uploadsOf(channel) } },
        statistics: { subscriberCount: "12" },
        status: { longUploadsStatus: channel.longUploads },
      },
      parts,
    ),
  );
  return Response.json({
    kind: "youtube#channelListResponse",
    pageInfo: { totalResults: items.length, resultsPerPage: USUAL_PAGE },
    ...(items.length > 0 && { items }),
  });
}

/** GET /youtube/v3/videos: how processing goes is told to the owner alone. */
export function listVideos(sim: Sim, session: Token, url: URL): Response {
  if (!hasAny(session, READ)) {
    return insufficient();
  }
  const parts = partsOf(url);
  if (parts instanceof Response) {
    return parts;
  }
  const found = (url.searchParams.get("id") ?? "")
    .split(",")
    .map((id) => find(sim, id))
    .filter((video) => video !== undefined)
    .filter((video) => !video.deleted && (video.login === session.login || video.privacy === "public"));
  if (parts.has("processingDetails") && found.some((video) => video.login !== session.login)) {
    return problem(403, "forbidden", "The request cannot access processing details of this video.");
  }
  return Response.json({
    kind: "youtube#videoListResponse",
    items: found.map((video) => only(resourceOf(sim, video), parts)),
  });
}

/** DELETE /youtube/v3/videos */
export function deleteVideo(sim: Sim, session: Token, url: URL): Response {
  if (!hasAny(session, WRITE)) {
    return insufficient();
  }
  const video = find(sim, url.searchParams.get("id") ?? "");
  if (!video || video.deleted || video.login !== session.login) {
    return problem(404, "videoNotFound", "The video that you are trying to delete cannot be found.");
  }
  save(sim, { ...video, deleted: true });
  return new Response(null, { status: 204 });
}

/** GET /youtube/v3/playlistItems of a channel's uploads, newest first. */
export function playlistItems(sim: Sim, session: Token, url: URL): Response {
  if (!hasAny(session, READ)) {
    return insufficient();
  }
  const parts = partsOf(url);
  if (parts instanceof Response) {
    return parts;
  }
  const playlist = url.searchParams.get("playlistId") ?? "";
  const channel = channelsOf(session.login).find((one) => uploadsOf(one) === playlist);
  if (!channel) {
    return problem(404, "playlistNotFound", "The playlist cannot be found.", "youtube.playlistItem");
  }
  const size = Number(url.searchParams.get("maxResults") ?? USUAL_PAGE);
  const skip = Number(url.searchParams.get("pageToken") ?? 0);
  if (!Number.isInteger(size) || size < 0 || size > PAGE_MAX || !Number.isInteger(skip)) {
    return problem(400, "invalidParameter", `maxResults must be 0 to ${PAGE_MAX}`, "global");
  }
  const all = sim.store
    .list("video:")
    .map(([, video]) => video as unknown as Video)
    .filter((video) => video.channel === channel.id && !video.deleted)
    .filter((video) => video.createdAt + sim.settings.verify_lag_ms <= sim.now())
    .toSorted((a, b) => b.createdAt - a.createdAt || b.serial - a.serial);
  const items = all.slice(skip, skip + size).map((video) =>
    only(
      {
        kind: "youtube#playlistItem",
        id: `PLI${video.id}`,
        snippet: {
          title: video.title,
          description: video.description,
          publishedAt: toInstant(video.createdAt),
          resourceId: { kind: "youtube#video", videoId: video.id },
        },
        contentDetails: { videoId: video.id, videoPublishedAt: toInstant(video.createdAt) },
        status: { privacyStatus: video.privacy },
      },
      parts,
    ),
  );
  return Response.json({
    kind: "youtube#playlistItemListResponse",
    items,
    pageInfo: { totalResults: all.length, resultsPerPage: size },
    ...(skip + size < all.length && { nextPageToken: String(skip + size) }),
  });
}
