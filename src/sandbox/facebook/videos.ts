import { recordTable } from "#sandbox/record-table.ts";
import { DAY, toIsoInstant } from "#core/clock.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { fetchMedia, type FetchedMedia } from "#sandbox/fetch-media.ts";
import { graphError, jsonParam, paginate, type Params, selectFields, textParam } from "#sandbox/graph-api.ts";
import { nextSerialNumber } from "#sandbox/serial-number.ts";
import { CRAWLER_USER_AGENT, formatGraphTime } from "./posts.ts";
import { invalidParameter, objectNotFound } from "./error-responses.ts";
import { nodeResponse, refuseUnknownField } from "./node-fields.ts";
import { publishStory } from "./stories.ts";

/* Reels and timeline videos (platforms/facebook.md 2.4 and 2.5), and stories with a video
   (https://developers.facebook.com/docs/page-stories-api). */

const REELS_PER_DAY = 30;
const REEL_MIN_SECONDS = 2.9;
const REEL_MAX_SECONDS = 90;
/** The longest story (s): "A video story can not exceed 60 seconds". */
const STORY_MAX_SECONDS = 60;
const REEL_MIN_PIXELS = { short: 540, long: 960 };
const REEL_MAX_ASPECT_RATIO = 16 / 9 + 0.01;
const DEFAULT_PAGE_SIZE = 25;

export interface Video {
  readonly id: string;
  readonly page: string;
  readonly kind: "reel" | "video" | "story";
  readonly createdAt: number;
  readonly serial: number;
  /** The number of bytes received so far. The next member is the number of parts. */
  readonly storedBytes: number;
  readonly partCount: number;
  readonly sha256: string | null;
  readonly uploadedAt: number | null;
  readonly finishedAt: number | null;
  readonly description: string;
  readonly title: string | null;
  readonly labels: JsonValue;
  readonly universalId: string | null;
  readonly processingError: { readonly code: number; readonly message: string } | null;
  /** Whether the video becomes a draft that is never public. */
  readonly draft: boolean;
  /** Whether the list of published posts contains the video. */
  readonly recorded: boolean;
  /** The id of a finished story, which differs from the id of the video. */
  readonly storyId: string | null;
  /** The upload session of a timeline video, with the announced size. */
  readonly session: { readonly id: string; readonly size: number } | null;
}

const VIDEOS = recordTable<Video>("video:");

export const findVideo = (sim: SimulatorContext, id: string): Video | undefined => VIDEOS.find(sim, id);

export function saveVideo(sim: SimulatorContext, video: Video): void {
  VIDEOS.save(sim, video.id, {
    ...video,
    processingError: video.processingError === null ? null : { ...video.processingError },
    session: video.session === null ? null : { ...video.session },
  });
}

/** The id of the post that shows a video, which differs from the id of the video. */
const postIdOf = ({ id }: Video): string => `9${id.slice(1)}`;

/** The video that a post `{page}_{post}` shows. */
export const findVideoOfPost = (sim: SimulatorContext, id: string): Video | undefined =>
  allVideos(sim).find((video) => `${video.page}_${postIdOf(video)}` === id);

export const allVideos = (sim: SimulatorContext): readonly Video[] => VIDEOS.list(sim);

export function newVideo(sim: SimulatorContext, page: string, kind: Video["kind"], fields: Partial<Video> = {}): Video {
  return {
    id: sim.newId(16),
    page,
    kind,
    createdAt: sim.now(),
    serial: nextSerialNumber(sim),
    storedBytes: 0,
    partCount: 0,
    sha256: null,
    uploadedAt: null,
    finishedAt: null,
    description: "",
    title: null,
    labels: null,
    universalId: null,
    processingError: null,
    draft: false,
    recorded: false,
    storyId: null,
    session: null,
    ...fields,
  };
}

/** The error that processing will report for a reel or story; null if it will succeed. */
export function reelProcessingError(
  sim: SimulatorContext,
  info: FetchedMedia["info"],
  kind: Video["kind"],
): Video["processingError"] {
  const configuredError = sim.settings.extra["processing_error"];
  if (typeof configuredError === "number") {
    return { code: configuredError, message: `Processing failed (${configuredError})` };
  }
  if (info.type !== "video/mp4") {
    return { code: 352, message: "The video file is in a format that is not supported." };
  }
  const seconds = info.durationSeconds ?? REEL_MIN_SECONDS;
  const maxSeconds = kind === "story" ? STORY_MAX_SECONDS : REEL_MAX_SECONDS;
  if (seconds < REEL_MIN_SECONDS || seconds > maxSeconds) {
    return { code: 1_363_128, message: `The video must be 3 to ${maxSeconds} seconds long.` };
  }
  const short = Math.min(info.width ?? REEL_MIN_PIXELS.short, info.height ?? REEL_MIN_PIXELS.long);
  const long = Math.max(info.width ?? REEL_MIN_PIXELS.short, info.height ?? REEL_MIN_PIXELS.long);
  if (long / short > REEL_MAX_ASPECT_RATIO) {
    return { code: 1_363_040, message: "The ratio of the video must be between 16:9 and 9:16." };
  }
  return short < REEL_MIN_PIXELS.short || long < REEL_MIN_PIXELS.long
    ? { code: 1_363_127, message: "The video must be at least 540 by 960." }
    : null;
}

function startReel(sim: SimulatorContext, page: string, version: string): Response {
  const since = sim.now() - DAY;
  const recent = allVideos(sim).filter(
    (video) => video.page === page && video.kind === "reel" && (video.finishedAt ?? 0) > since,
  );
  // Refuse further reels. The error code is not documented.
  if (recent.length >= (sim.settings.quota ?? REELS_PER_DAY)) {
    return graphError(sim, {
      code: 613,
      message: "(#613) Calls to this api have exceeded the rate limit of reels per day.",
    });
  }
  return startUpload(sim, page, version, "reel");
}

function startUpload(sim: SimulatorContext, page: string, version: string, kind: "reel" | "story"): Response {
  const video = newVideo(sim, page, kind);
  saveVideo(sim, video);
  const upload_url = `https://rupload.facebook.com/video-upload/${version}/${video.id}`;
  return Response.json({ video_id: video.id, upload_url });
}

function finishReel(sim: SimulatorContext, page: string, params: Params): Response {
  const id = textParam(params, "video_id") ?? "";
  const video = findVideo(sim, id);
  if (video?.page !== page || video.kind !== "reel") {
    return objectNotFound(sim, id);
  }
  if (video.uploadedAt === null) {
    return graphError(sim, { code: 6000, message: "(#6000) There was a problem uploading your video file." });
  }
  if (textParam(params, "video_state") !== "PUBLISHED") {
    return invalidParameter(sim, "Param video_state must be PUBLISHED");
  }
  // A second finish does not publish again.
  if (video.finishedAt === null) {
    const description = textParam(params, "description") ?? "";
    saveVideo(sim, { ...video, finishedAt: sim.now(), description, title: textParam(params, "title") });
  }
  return Response.json({ success: true });
}

/** Handles `POST /{page}/video_reels`. */
export function reelEndpoint(sim: SimulatorContext, page: string, params: Params, version: string): Response {
  switch (textParam(params, "upload_phase")) {
    case "start":
      return startReel(sim, page, version);
    case "finish":
      return finishReel(sim, page, params);
    default:
      return invalidParameter(sim, "Param upload_phase must be start or finish");
  }
}

function finishStory(sim: SimulatorContext, page: string, params: Params): Response {
  const id = textParam(params, "video_id") ?? "";
  const video = findVideo(sim, id);
  if (video?.page !== page || video.kind !== "story") {
    return objectNotFound(sim, id);
  }
  if (video.uploadedAt === null) {
    return graphError(sim, { code: 6000, message: "(#6000) There was a problem uploading your video file." });
  }
  if (video.finishedAt !== null) {
    // A video can be used once: "A photo or video uploaded for a story can not have been used in a previously published
    // post".
    return invalidParameter(sim, `Param video_id: ${id} has been used in a published story`);
  }
  const storyId = sim.newId(15);
  saveVideo(sim, { ...video, finishedAt: sim.now(), storyId });
  return Response.json({ success: true, post_id: storyId });
}

/** Handles `POST /{page}/video_stories`. */
export function videoStoryEndpoint(sim: SimulatorContext, page: string, params: Params, version: string): Response {
  switch (textParam(params, "upload_phase")) {
    case "start":
      return startUpload(sim, page, version, "story");
    case "finish":
      return finishStory(sim, page, params);
    default:
      return invalidParameter(sim, "Param upload_phase must be start or finish");
  }
}

/** The fields that the last call of a timeline video sets. */
export function timelineFields(
  sim: SimulatorContext,
  params: Params,
  { width, height, durationSeconds }: FetchedMedia["info"],
): Pick<Video, "finishedAt" | "description" | "title" | "labels" | "universalId" | "draft"> {
  const isVertical = (height ?? 0) > (width ?? 0) && (durationSeconds ?? 0) < REEL_MAX_SECONDS;
  return {
    finishedAt: sim.now(),
    description: textParam(params, "description") ?? "",
    title: textParam(params, "title"),
    labels: jsonParam(params, "custom_labels") ?? null,
    universalId: textParam(params, "universal_video_id"),
    draft: isVertical && sim.settings.extra["vertical_drafts"] === true,
  };
}

/** Handles `POST /{page}/videos` without an upload session. This one call publishes the video. */
export async function createTimelineVideo(sim: SimulatorContext, page: string, params: Params): Promise<Response> {
  const file = await fetchMedia(sim, textParam(params, "file_url"), CRAWLER_USER_AGENT);
  if (!file) {
    return graphError(sim, { code: 389, message: "(#389) Unable to fetch video file from URL." });
  }
  if (file.info.type !== "video/mp4") {
    return graphError(sim, {
      code: 352,
      message: "(#352) The video file you selected is in a format that we don't support.",
    });
  }
  const video = newVideo(sim, page, "video", {
    sha256: file.sha256,
    uploadedAt: sim.now(),
    ...timelineFields(sim, params, file.info),
  });
  saveVideo(sim, video);
  return Response.json({ id: video.id });
}

const isProcessed = (sim: SimulatorContext, startedAt: number | null): boolean =>
  startedAt !== null && startedAt + sim.settings.processing_ms <= sim.now();

const isPublished = (sim: SimulatorContext, video: Video): boolean =>
  video.processingError === null && !video.draft && isProcessed(sim, video.finishedAt);

/**
 * The path of a video. With the setting `videos_as_reels`, timeline videos appear as reels. Meta's documents do not say
 * which is right.
 */
const permalinkPath = (sim: SimulatorContext, { kind, id, page }: Video): string =>
  kind === "reel" || sim.settings.extra["videos_as_reels"] === true ? `/reel/${id}/` : `/${page}/videos/${id}/`;

export function publishProcessed(sim: SimulatorContext): void {
  for (const video of allVideos(sim)) {
    if (video.recorded || video.sha256 === null || !isPublished(sim, video)) {
      continue;
    }
    saveVideo(sim, { ...video, recorded: true });
    if (video.storyId !== null) {
      const { storyId, page, id: mediaId, sha256 } = video;
      const acceptedAt = video.finishedAt ?? sim.now();
      publishStory(sim, { id: storyId, page, mediaType: "video", mediaId, sha256, acceptedAt });
      continue;
    }
    sim.recordPublishedPost({
      id: video.id,
      url: `https://www.facebook.com${permalinkPath(sim, video)}`,
      account: video.page,
      kind: video.kind,
      text: video.description,
      title: video.title,
      media: [{ type: "video", sha256: video.sha256 }],
      options: { placement: video.kind === "reel" ? "reels" : "timeline" },
      accepted_at: toIsoInstant(video.finishedAt ?? sim.now()),
    });
  }
}

function videoStatus(uploaded: boolean, processed: boolean, failed: boolean, finished: boolean): string {
  if (failed) {
    return "error";
  }
  if (finished) {
    return "ready";
  }
  return !uploaded ? "uploading" : processed ? "upload_complete" : "processing";
}

function videoJson(sim: SimulatorContext, video: Video): JsonObject {
  const published = isPublished(sim, video);
  const uploaded = video.uploadedAt !== null;
  const processed = isProcessed(sim, video.uploadedAt);
  const failed = video.processingError !== null && processed;
  const finished = isProcessed(sim, video.finishedAt);
  return {
    id: video.id,
    status: {
      video_status: videoStatus(uploaded, processed, failed, finished),
      uploading_phase: {
        status: uploaded ? "complete" : video.storedBytes > 0 ? "in_progress" : "not_started",
        bytes_transferred: video.storedBytes,
      },
      processing_phase: {
        status: failed ? "error" : processed ? "complete" : uploaded ? "in_progress" : "not_started",
        ...(failed && video.processingError && { errors: [{ ...video.processingError }] }),
      },
      publishing_phase: {
        status: published ? "complete" : video.finishedAt === null || video.draft ? "not_started" : "in_progress",
        ...(published && { publish_status: "published", publish_time: Math.floor((video.finishedAt ?? 0) / 1000) }),
        ...(finished && video.draft && { publish_status: "draft" }),
      },
    },
    published,
    description: video.description,
    created_time: formatGraphTime(video.finishedAt ?? video.createdAt),
    // The permalink has no host, as at the platform.
    permalink_url: permalinkPath(sim, video),
    custom_labels: video.labels,
    universal_video_id: video.universalId,
    ...(video.recorded && { post_id: postIdOf(video) }),
  };
}

/** Handles `GET /{page}/videos`, newest first and without stories. */
export function listVideos(sim: SimulatorContext, page: string, url: URL): Response {
  const fields = url.searchParams.get("fields") ?? "id,description,created_time";
  const refusal = refuseUnknownField(sim, "Video", fields);
  if (refusal) {
    return refusal;
  }
  const results = allVideos(sim)
    .filter((video) => video.page === page && video.kind !== "story" && isPublished(sim, video))
    .filter((video) => (video.finishedAt ?? 0) + sim.settings.verify_lag_ms <= sim.now())
    .toSorted((a, b) => (b.finishedAt ?? 0) - (a.finishedAt ?? 0) || b.serial - a.serial);
  return paginate(
    url,
    results.map((video) => selectFields(videoJson(sim, video), fields)),
    DEFAULT_PAGE_SIZE,
  );
}

/** Handles GET and DELETE of a video. */
export function videoNode(sim: SimulatorContext, video: Video, method: string, params: Params): Response {
  if (method === "DELETE") {
    VIDEOS.remove(sim, video.id);
    return Response.json({ success: true });
  }
  return nodeResponse(
    sim,
    "Video",
    videoJson(sim, video),
    textParam(params, "fields") ?? "id,description,created_time",
  );
}
