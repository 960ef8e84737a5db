import { DAY, toInstant } from "#core/clock.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import type { Sim } from "#sandbox/contract.ts";
import { fetchMedia, type Found } from "#sandbox/fetching.ts";
import { graphError, jsonOf, pageOf, type Params, select, textOf } from "#sandbox/graph.ts";
import { serial } from "#sandbox/serial.ts";
import { CRAWLER, graphInstant } from "./posts.ts";
import { invalid, missing } from "./problems.ts";

/* Reels and timeline videos: platforms/facebook.md 2.4 and 2.5. */

const REELS_PER_DAY = 30;
const REEL_MIN_SECONDS = 2.9;
const REEL_MAX_SECONDS = 90;
const REEL_MIN_SIDES = { short: 540, long: 960 };
const REEL_RATIO_MAX = 16 / 9 + 0.01;
const USUAL_PAGE = 25;

export interface Video {
  readonly id: string;
  readonly page: string;
  readonly kind: "reel" | "video";
  readonly createdAt: number;
  readonly serial: number;
  /** Bytes that lie here while an upload is under way, and in how many pieces. */
  readonly stored: number;
  readonly pieces: number;
  readonly sha256: string | null;
  readonly uploadedAt: number | null;
  readonly finishedAt: number | null;
  readonly description: string;
  readonly title: string | null;
  readonly labels: JsonValue;
  readonly universalId: string | null;
  readonly problem: { readonly code: number; readonly message: string } | null;
  /** Ended as a draft that nobody sees. */
  readonly draft: boolean;
  readonly booked: boolean;
}

export const findVideo = (sim: Sim, id: string): Video | undefined => sim.store.get(`video:${id}`) as Video | undefined;

export function saveVideo(sim: Sim, video: Video): void {
  sim.store.put(`video:${video.id}`, { ...video, problem: video.problem === null ? null : { ...video.problem } });
}

const videos = (sim: Sim): readonly Video[] => sim.store.list("video:").map(([, video]) => video as unknown as Video);

function newVideo(sim: Sim, page: string, kind: Video["kind"], rest: Partial<Video> = {}): Video {
  return {
    id: sim.id(16),
    page,
    kind,
    createdAt: sim.now(),
    serial: serial(sim),
    stored: 0,
    pieces: 0,
    sha256: null,
    uploadedAt: null,
    finishedAt: null,
    description: "",
    title: null,
    labels: null,
    universalId: null,
    problem: null,
    draft: false,
    booked: false,
    ...rest,
  };
}

/** What processing will find wrong with a reel's bytes. */
export function reelProblem(sim: Sim, looks: Found["looks"]): Video["problem"] {
  const chosen = sim.settings.extra["processing_error"];
  if (typeof chosen === "number") {
    return { code: chosen, message: `Processing failed (${chosen})` };
  }
  if (looks.type !== "video/mp4") {
    return { code: 352, message: "The video file is in a format that is not supported." };
  }
  const seconds = looks.durationSeconds ?? REEL_MIN_SECONDS;
  if (seconds < REEL_MIN_SECONDS || seconds > REEL_MAX_SECONDS) {
    return { code: 1_363_128, message: "The video must be 3 to 90 seconds long." };
  }
  const short = Math.min(looks.width ?? REEL_MIN_SIDES.short, looks.height ?? REEL_MIN_SIDES.long);
  const long = Math.max(looks.width ?? REEL_MIN_SIDES.short, looks.height ?? REEL_MIN_SIDES.long);
  if (long / short > REEL_RATIO_MAX) {
    return { code: 1_363_040, message: "The ratio of the video must be between 16:9 and 9:16." };
  }
  return short < REEL_MIN_SIDES.short || long < REEL_MIN_SIDES.long
    ? { code: 1_363_127, message: "The video must be at least 540 by 960." }
    : null;
}

function startReel(sim: Sim, page: string, version: string): Response {
  const since = sim.now() - DAY;
  const recent = videos(sim).filter(
    (video) => video.page === page && video.kind === "reel" && (video.finishedAt ?? 0) > since,
  );
  // The code of this refusal is not documented.
  if (recent.length >= (sim.settings.quota ?? REELS_PER_DAY)) {
    return graphError(sim, {
      code: 613,
      message: "(#613) Calls to this api have exceeded the rate limit of reels per day.",
    });
  }
  const video = newVideo(sim, page, "reel");
  saveVideo(sim, video);
  const upload_url = `https://rupload.facebook.com/video-upload/${version}/${video.id}`;
  return Response.json({ video_id: video.id, upload_url });
}

function finishReel(sim: Sim, page: string, params: Params): Response {
  const id = textOf(params, "video_id") ?? "";
  const video = findVideo(sim, id);
  if (video?.page !== page || video.kind !== "reel") {
    return missing(sim, id);
  }
  if (video.uploadedAt === null) {
    return graphError(sim, { code: 6000, message: "(#6000) There was a problem uploading your video file." });
  }
  if (textOf(params, "video_state") !== "PUBLISHED") {
    return invalid(sim, "Param video_state must be PUBLISHED");
  }
  // One video cannot become two posts.
  if (video.finishedAt === null) {
    const description = textOf(params, "description") ?? "";
    saveVideo(sim, { ...video, finishedAt: sim.now(), description, title: textOf(params, "title") });
  }
  return Response.json({ success: true });
}

/** POST /{page}/video_reels */
export function reels(sim: Sim, page: string, params: Params, version: string): Response {
  switch (textOf(params, "upload_phase")) {
    case "start":
      return startReel(sim, page, version);
    case "finish":
      return finishReel(sim, page, params);
    default:
      return invalid(sim, "Param upload_phase must be start or finish");
  }
}

/** POST /{page}/videos: visible without a second call. */
export async function timelineVideo(sim: Sim, page: string, params: Params): Promise<Response> {
  const found = await fetchMedia(sim, textOf(params, "file_url"), CRAWLER);
  if (!found) {
    return graphError(sim, { code: 389, message: "(#389) Unable to fetch video file from URL." });
  }
  if (found.looks.type !== "video/mp4") {
    return graphError(sim, {
      code: 352,
      message: "(#352) The video file you selected is in a format that we don't support.",
    });
  }
  const { width, height, durationSeconds } = found.looks;
  const isVertical = (height ?? 0) > (width ?? 0) && (durationSeconds ?? 0) < REEL_MAX_SECONDS;
  const video = newVideo(sim, page, "video", {
    sha256: found.sha256,
    uploadedAt: sim.now(),
    finishedAt: sim.now(),
    description: textOf(params, "description") ?? "",
    title: textOf(params, "title"),
    labels: jsonOf(params, "custom_labels") ?? null,
    universalId: textOf(params, "universal_video_id"),
    draft: isVertical && sim.settings.extra["vertical_drafts"] === true,
  });
  saveVideo(sim, video);
  return Response.json({ id: video.id });
}

const isProcessed = (sim: Sim, at: number | null): boolean =>
  at !== null && at + sim.settings.processing_ms <= sim.now();

const isLive = (sim: Sim, video: Video): boolean =>
  video.problem === null && !video.draft && isProcessed(sim, video.finishedAt);

const pathOf = ({ kind, id, page }: Video): string => (kind === "reel" ? `/reel/${id}` : `/${page}/videos/${id}/`);

/** What time alone has published. */
export function settle(sim: Sim): void {
  for (const video of videos(sim)) {
    if (video.booked || video.sha256 === null || !isLive(sim, video)) {
      continue;
    }
    saveVideo(sim, { ...video, booked: true });
    sim.publish({
      id: video.id,
      url: `https://www.facebook.com${pathOf(video)}`,
      account: video.page,
      kind: video.kind,
      text: video.description,
      title: video.title,
      media: [{ type: "video", sha256: video.sha256 }],
      options: { placement: video.kind === "reel" ? "reels" : "timeline" },
      accepted_at: toInstant(video.finishedAt ?? sim.now()),
    });
  }
}

function statusWord(uploaded: boolean, processed: boolean, failed: boolean, over: boolean): string {
  if (failed) {
    return "error";
  }
  if (over) {
    return "ready";
  }
  return !uploaded ? "uploading" : processed ? "upload_complete" : "processing";
}

function videoJson(sim: Sim, video: Video): JsonObject {
  const live = isLive(sim, video);
  const uploaded = video.uploadedAt !== null;
  const processed = isProcessed(sim, video.uploadedAt);
  const failed = video.problem !== null && processed;
  const over = isProcessed(sim, video.finishedAt);
  return {
    id: video.id,
    status: {
      video_status: statusWord(uploaded, processed, failed, over),
      uploading_phase: {
        status: uploaded ? "complete" : video.stored > 0 ? "in_progress" : "not_started",
        bytes_transferred: video.stored,
      },
      processing_phase: {
        status: failed ? "error" : processed ? "complete" : uploaded ? "in_progress" : "not_started",
        ...(failed && video.problem && { errors: [{ ...video.problem }] }),
      },
      publishing_phase: {
        status: live ? "complete" : video.finishedAt === null || video.draft ? "not_started" : "in_progress",
        ...(live && { publish_status: "published", publish_time: Math.floor((video.finishedAt ?? 0) / 1000) }),
        ...(over && video.draft && { publish_status: "draft" }),
      },
    },
    published: live,
    description: video.description,
    created_time: graphInstant(video.finishedAt ?? video.createdAt),
    // Without the host, as the platform gives it.
    permalink_url: pathOf(video),
    custom_labels: video.labels,
    universal_video_id: video.universalId,
  };
}

/** GET /{page}/videos, newest first. */
export function listVideos(sim: Sim, page: string, url: URL): Response {
  const fields = url.searchParams.get("fields") ?? "id,description,created_time";
  const found = videos(sim)
    .filter((video) => video.page === page && isLive(sim, video))
    .filter((video) => (video.finishedAt ?? 0) + sim.settings.verify_lag_ms <= sim.now())
    .toSorted((a, b) => (b.finishedAt ?? 0) - (a.finishedAt ?? 0) || b.serial - a.serial);
  return pageOf(
    url,
    found.map((video) => select(videoJson(sim, video), fields)),
    USUAL_PAGE,
  );
}

/** GET and DELETE of a video. */
export function oneVideo(sim: Sim, video: Video, method: string, params: Params): Response {
  if (method === "DELETE") {
    sim.store.delete(`video:${video.id}`);
    return Response.json({ success: true });
  }
  return Response.json(select(videoJson(sim, video), textOf(params, "fields") ?? "id,description,created_time"));
}
