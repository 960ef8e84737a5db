import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import type { Token } from "#sandbox/oauth-server.ts";
import { envelope, invalidParams, okResponse, missingScope } from "./responses.ts";
import { checkPostInfo } from "./creator-info.ts";
import type { Creator } from "./creators.ts";
import { checkDailyCap, newPublish, type Publish, savePublish } from "./publishes.ts";
import { isFromVerifiedDomain, waitForPull } from "./pull-media.ts";

/* The `init` calls that start a post or a draft (platforms/tiktok.md 2.2 to 2.4). */

const MEGABYTE = 1_000_000;
const MAX_VIDEO_BYTES = 4096 * MEGABYTE;
const MIN_CHUNK_BYTES = 5 * MEGABYTE;
const MAX_CHUNK_BYTES = 64 * MEGABYTE;
const MAX_LAST_CHUNK_BYTES = 128 * MEGABYTE;
const MAX_CHUNKS = 1000;
const MAX_PHOTOS = 35;
const UPLOAD_HOST = "open-upload.tiktokapis.com";

const objectField = (body: JsonObject, name: string): JsonObject => {
  const value = body[name];
  return isJsonObject(value) ? value : {};
};

const isPositiveInteger = (value: JsonValue | undefined): value is number =>
  Number.isSafeInteger(value) && Number(value) > 0;

interface ChunkLayout {
  readonly size: number;
  readonly chunkSize: number;
  readonly chunkCount: number;
}

/** The chunk layout of an upload, or the problem with it. */
function readChunkLayout(sim: SimulatorContext, source: JsonObject): ChunkLayout | string {
  const { video_size: size, chunk_size: chunkSize, total_chunk_count: chunkCount } = source;
  if (!isPositiveInteger(size) || !isPositiveInteger(chunkSize) || !isPositiveInteger(chunkCount)) {
    return "video_size, chunk_size and total_chunk_count are required";
  }
  if (size > MAX_VIDEO_BYTES) {
    return "the video is larger than 4 GB";
  }
  if (chunkCount > MAX_CHUNKS || chunkCount !== Math.max(1, Math.floor(size / chunkSize))) {
    return "total_chunk_count must be floor(video_size / chunk_size), at most 1000";
  }
  if (chunkCount === 1) {
    return size > MAX_CHUNK_BYTES || chunkSize !== size
      ? "one chunk must contain the whole video, up to 64 MB"
      : { size, chunkSize, chunkCount };
  }
  // The guide allows a small video in chunks, but TikTok has refused it since 9 August 2026
  // (DayMoonDevelopment/post-for-me#327).
  if (size <= MAX_CHUNK_BYTES && sim.settings.extra["small_videos_in_chunks"] !== true) {
    return "The chunk size is invalid";
  }
  const last = size - (chunkCount - 1) * chunkSize;
  return chunkSize < MIN_CHUNK_BYTES || chunkSize > MAX_CHUNK_BYTES || last > MAX_LAST_CHUNK_BYTES
    ? "chunks must be 5 to 64 MB, the last up to 128 MB"
    : { size, chunkSize, chunkCount };
}

async function startPull(sim: SimulatorContext, publish: Publish): Promise<Response> {
  if (!publish.urls.every((url) => isFromVerifiedDomain(sim, url))) {
    return envelope(sim, 403, "url_ownership_unverified", "The URL ownership is not verified.");
  }
  savePublish(sim, publish);
  await waitForPull(sim, publish);
  return okResponse(sim, { publish_id: publish.id });
}

/** Handles `POST …/video/init/` and `POST …/inbox/video/init/`. */
export async function initVideo(
  sim: SimulatorContext,
  token: Token,
  creator: Creator,
  body: JsonObject,
  isDraft: boolean,
): Promise<Response> {
  const postInfo = objectField(body, "post_info");
  const source = objectField(body, "source_info");
  const error =
    (isDraft ? null : checkPostInfo(sim, creator, postInfo, "video")) ?? checkDailyCap(sim, token.login, isDraft);
  if (error) {
    return error;
  }
  // A video draft keeps no part of `post_info`.
  const publishFields = { kind: "video", isDraft, postInfo: isDraft ? {} : postInfo } as const;
  switch (source["source"]) {
    case "FILE_UPLOAD": {
      const chunks = readChunkLayout(sim, source);
      if (typeof chunks === "string") {
        return invalidParams(sim, chunks);
      }
      const uploadToken = sim.newSecret("U");
      const prefix = isDraft ? "v_inbox_file~v2." : "v_pub_file~v2-1.";
      const publish = newPublish(sim, token, prefix, { ...publishFields, ...chunks, uploadToken });
      savePublish(sim, publish);
      return okResponse(sim, {
        publish_id: publish.id,
        upload_url: `https://${UPLOAD_HOST}/video/?upload_id=${encodeURIComponent(publish.id)}&upload_token=${uploadToken}`,
      });
    }
    case "PULL_FROM_URL": {
      const url = source["video_url"];
      const prefix = isDraft ? "v_inbox_url~v2." : "v_pub_url~v2-1.";
      return typeof url === "string"
        ? startPull(sim, newPublish(sim, token, prefix, { ...publishFields, urls: [url] }))
        : invalidParams(sim, "video_url is required");
    }
    default:
      return invalidParams(sim, "source_info.source must be FILE_UPLOAD or PULL_FROM_URL");
  }
}

/** The problem with the image URLs of a photo post; null if there is none. */
function findPhotosProblem(images: JsonValue | undefined, cover: JsonValue | undefined): string | null {
  if (!Array.isArray(images) || images.length < 1 || images.length > MAX_PHOTOS) {
    return `photo_images must be a list of 1 to ${MAX_PHOTOS} URLs`;
  }
  if (!images.every((url) => typeof url === "string")) {
    return "photo_images must be URLs";
  }
  return Number.isInteger(cover) && Number(cover) >= 0 && Number(cover) < images.length
    ? null
    : "photo_cover_index must point at one of photo_images";
}

/** Handles `POST …/content/init/`. */
export async function initPhotos(
  sim: SimulatorContext,
  token: Token,
  creator: Creator,
  body: JsonObject,
): Promise<Response> {
  const postInfo = objectField(body, "post_info");
  const source = objectField(body, "source_info");
  const mode = body["post_mode"];
  if (body["media_type"] !== "PHOTO" || (mode !== "DIRECT_POST" && mode !== "MEDIA_UPLOAD")) {
    return invalidParams(sim, "media_type must be PHOTO, post_mode DIRECT_POST or MEDIA_UPLOAD");
  }
  if (source["source"] !== "PULL_FROM_URL") {
    return invalidParams(sim, "source_info.source must be PULL_FROM_URL");
  }
  const isDraft = mode === "MEDIA_UPLOAD";
  if (!token.scopes.includes(isDraft ? "video.upload" : "video.publish")) {
    return missingScope(sim);
  }
  const photosProblem = findPhotosProblem(source["photo_images"], source["photo_cover_index"]);
  if (photosProblem !== null) {
    return invalidParams(sim, photosProblem);
  }
  const unsupportedField = ["disable_duet", "disable_stitch", "is_aigc"].find((field) => field in postInfo);
  if (unsupportedField !== undefined) {
    return invalidParams(sim, `${unsupportedField} does not exist for photos`);
  }
  const error =
    (isDraft ? null : checkPostInfo(sim, creator, postInfo, "photo")) ?? checkDailyCap(sim, token.login, isDraft);
  if (error) {
    return error;
  }
  const { photo_cover_index: coverIndex = 0 } = source;
  const storedInfo: JsonObject = {
    ...(isDraft ? { title: postInfo["title"] ?? "", description: postInfo["description"] ?? "" } : postInfo),
    ...(coverIndex !== 0 && { photo_cover_index: coverIndex }),
  };
  const urls = source["photo_images"] as readonly string[];
  return startPull(
    sim,
    newPublish(sim, token, "p_pub_url~v2.", { kind: "photo", isDraft, postInfo: storedInfo, urls }),
  );
}
