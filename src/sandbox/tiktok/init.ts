import type { JsonObject, JsonValue } from "#core/json.ts";
import type { Sim } from "#sandbox/contract.ts";
import type { Token } from "#sandbox/grants.ts";
import { envelope, invalid, ok, scopeMissing } from "./answers.ts";
import { infoRefusal } from "./creator-info.ts";
import type { Creator } from "./creators.ts";
import { dayRefusal, newPublish, type Publish, save } from "./publishes.ts";
import { isOwned, waitForPull } from "./pull.ts";

/* The calls that begin a post or a draft: platforms/tiktok.md 2.2 to 2.4. */

const MB = 1_000_000;
const VIDEO_MAX = 4096 * MB;
const CHUNK_MIN = 5 * MB;
const CHUNK_MAX = 64 * MB;
const LAST_CHUNK_MAX = 128 * MB;
const CHUNKS_MAX = 1000;
const PHOTOS_MAX = 35;
const UPLOAD_HOST = "open-upload.tiktokapis.com";

const objectIn = (body: JsonObject, name: string): JsonObject => {
  const value = body[name];
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
};

const isCount = (value: JsonValue | undefined): value is number => Number.isSafeInteger(value) && Number(value) > 0;

interface Chunks {
  readonly size: number;
  readonly chunkSize: number;
  readonly chunkCount: number;
}

/** The plan of an upload, or what is wrong with it. */
function chunksOf(source: JsonObject): Chunks | string {
  const { video_size: size, chunk_size: chunkSize, total_chunk_count: chunkCount } = source;
  if (!isCount(size) || !isCount(chunkSize) || !isCount(chunkCount)) {
    return "video_size, chunk_size and total_chunk_count are required";
  }
  if (size > VIDEO_MAX) {
    return "the video is larger than 4 GB";
  }
  if (chunkCount > CHUNKS_MAX || chunkCount !== Math.max(1, Math.floor(size / chunkSize))) {
    return "total_chunk_count must be floor(video_size / chunk_size), at most 1000";
  }
  if (chunkCount === 1) {
    return size > CHUNK_MAX || chunkSize !== size
      ? "one chunk carries the whole video, up to 64 MB"
      : { size, chunkSize, chunkCount };
  }
  const last = size - (chunkCount - 1) * chunkSize;
  return chunkSize < CHUNK_MIN || chunkSize > CHUNK_MAX || last > LAST_CHUNK_MAX
    ? "chunks must be 5 to 64 MB, the last up to 128 MB"
    : { size, chunkSize, chunkCount };
}

async function pulled(sim: Sim, publish: Publish): Promise<Response> {
  if (!publish.urls.every((url) => isOwned(sim, url))) {
    return envelope(sim, 403, "url_ownership_unverified", "The URL ownership is not verified.");
  }
  save(sim, publish);
  await waitForPull(sim, publish);
  return ok(sim, { publish_id: publish.id });
}

/** POST …/video/init/ and …/inbox/video/init/ */
export async function initVideo(
  sim: Sim,
  session: Token,
  creator: Creator,
  body: JsonObject,
  draft: boolean,
): Promise<Response> {
  const info = objectIn(body, "post_info");
  const source = objectIn(body, "source_info");
  const refused = (draft ? null : infoRefusal(sim, creator, info, "video")) ?? dayRefusal(sim, session.login, draft);
  if (refused) {
    return refused;
  }
  // A draft keeps nothing of what was said about it.
  const about = { kind: "video", draft, info: draft ? {} : info } as const;
  switch (source["source"]) {
    case "FILE_UPLOAD": {
      const chunks = chunksOf(source);
      if (typeof chunks === "string") {
        return invalid(sim, chunks);
      }
      const uploadToken = sim.secret("U");
      const prefix = draft ? "v_inbox_file~v2." : "v_pub_file~v2-1.";
      const publish = newPublish(sim, session, prefix, { ...about, ...chunks, uploadToken });
      save(sim, publish);
      return ok(sim, {
        publish_id: publish.id,
        upload_url: `https://${UPLOAD_HOST}/video/?upload_id=${encodeURIComponent(publish.id)}&upload_token=${uploadToken}`,
      });
    }
    case "PULL_FROM_URL": {
      const url = source["video_url"];
      const prefix = draft ? "v_inbox_url~v2." : "v_pub_url~v2-1.";
      return typeof url === "string"
        ? pulled(sim, newPublish(sim, session, prefix, { ...about, urls: [url] }))
        : invalid(sim, "video_url is required");
    }
    default:
      return invalid(sim, "source_info.source must be FILE_UPLOAD or PULL_FROM_URL");
  }
}

/** What is wrong with the addresses of a photo post. */
function photosProblem(images: JsonValue | undefined, cover: JsonValue | undefined): string | null {
  if (!Array.isArray(images) || images.length < 1 || images.length > PHOTOS_MAX) {
    return `photo_images takes 1 to ${PHOTOS_MAX} URLs`;
  }
  if (!images.every((url) => typeof url === "string")) {
    return "photo_images must be URLs";
  }
  return Number.isInteger(cover) && Number(cover) >= 0 && Number(cover) < images.length
    ? null
    : "photo_cover_index must point at one of photo_images";
}

/** POST …/content/init/ */
export async function initPhotos(sim: Sim, session: Token, creator: Creator, body: JsonObject): Promise<Response> {
  const info = objectIn(body, "post_info");
  const source = objectIn(body, "source_info");
  const mode = body["post_mode"];
  if (body["media_type"] !== "PHOTO" || (mode !== "DIRECT_POST" && mode !== "MEDIA_UPLOAD")) {
    return invalid(sim, "media_type must be PHOTO, post_mode DIRECT_POST or MEDIA_UPLOAD");
  }
  if (source["source"] !== "PULL_FROM_URL") {
    return invalid(sim, "source_info.source must be PULL_FROM_URL");
  }
  const draft = mode === "MEDIA_UPLOAD";
  if (!session.scopes.includes(draft ? "video.upload" : "video.publish")) {
    return scopeMissing(sim);
  }
  const wrong = photosProblem(source["photo_images"], source["photo_cover_index"]);
  if (wrong !== null) {
    return invalid(sim, wrong);
  }
  const stray = ["disable_duet", "disable_stitch", "is_aigc"].find((field) => field in info);
  if (stray !== undefined) {
    return invalid(sim, `${stray} does not exist for photos`);
  }
  const refused = (draft ? null : infoRefusal(sim, creator, info, "photo")) ?? dayRefusal(sim, session.login, draft);
  if (refused) {
    return refused;
  }
  const kept: JsonObject = draft ? { title: info["title"] ?? "", description: info["description"] ?? "" } : info;
  const urls = source["photo_images"] as readonly string[];
  return pulled(sim, newPublish(sim, session, "p_pub_url~v2.", { kind: "photo", draft, info: kept, urls }));
}
