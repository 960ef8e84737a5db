import type { JsonObject } from "#core/json.ts";
import { fromBase64 } from "#core/encoding.ts";
import { inspectMedia } from "#sandbox/inspect-media.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { invalidRequest, notFound } from "./error-responses.ts";
import type { TestUser } from "./test-users.ts";

/* Media uploads: one call for images, chunks for GIFs and videos (platforms/x.md 2.3 and 2.4). */

const MIB = 1024 * 1024;
const MEDIA_LIFETIME_MS = 86_400_000;
const MAX_SEGMENTS = 1000;
const MAX_ALT_TEXT_LENGTH = 1000;
const MAX_ONE_CALL_BODY_BYTES = 24 * MIB;
const FAIL_MARKER = "#sim-fail";

const MAX_BYTES_BY_KIND = { image: 5 * MIB, gif: 15 * MIB, video: 512 * MIB } as const;
const CATEGORY_KIND = { tweet_image: "image", tweet_gif: "gif", tweet_video: "video", amplify_video: "video" } as const;
const MEDIA_TYPES: Readonly<Record<keyof typeof MAX_BYTES_BY_KIND, readonly string[]>> = {
  image: ["image/jpeg", "image/pjpeg", "image/png", "image/webp", "image/gif", "image/bmp", "image/tiff"],
  gif: ["image/gif"],
  video: ["video/mp4", "video/quicktime", "video/webm", "video/mp2t"],
};
const IMAGE_TYPES = new Set(["image/jpeg", "image/png", "image/webp", "image/gif"]);

export interface Media {
  readonly id: string;
  readonly owner: string;
  readonly kind: keyof typeof MAX_BYTES_BY_KIND;
  readonly category: string;
  readonly mediaType: string;
  readonly totalBytes: number;
  readonly createdAt: number;
  /** Null until finalize. */
  readonly finalizedAt: number | null;
  /** Null until the bytes are read. */
  readonly sha256: string | null;
  readonly durationSeconds: number | null;
  readonly failure: { readonly code: number; readonly name: string; readonly message: string } | null;
  /** Set by `sim-fail` in the file's name. */
  readonly isMarkedToFail: boolean;
  readonly altText: string | null;
}

type Segment = { readonly size: number };

const mediaKey = (id: string): string => `media:${id}`;
const segmentPrefix = (id: string): string => `segment:${id}:`;
const segmentKey = (id: string, index: number): string => `${segmentPrefix(id)}${String(index).padStart(4, "0")}`;
const blobKey = (id: string, index: number): string => `uploads/${id}/${String(index).padStart(4, "0")}`;

function saveMedia(sim: SimulatorContext, media: Media): Media {
  sim.store.put(mediaKey(media.id), { ...media });
  return media;
}

/** The user's own media if it has not expired. */
export function findUsableMedia(sim: SimulatorContext, user: TestUser, id: string): Media | undefined {
  const media = sim.store.get(mediaKey(id)) as Media | undefined;
  return media && media.owner === user.id && media.createdAt + MEDIA_LIFETIME_MS > sim.now() ? media : undefined;
}

export type ProcessingState = "pending" | "in_progress" | "succeeded" | "failed" | "unfinished";

export function processingState(sim: SimulatorContext, media: Media): ProcessingState {
  if (media.finalizedAt === null) {
    return "unfinished";
  }
  const elapsedMs = sim.now() - media.finalizedAt;
  const { processing_ms } = sim.settings;
  if (media.kind !== "image" && elapsedMs < processing_ms) {
    return elapsedMs < processing_ms / 2 ? "pending" : "in_progress";
  }
  if (media.failure) {
    return "failed";
  }
  return media.sha256 === null ? "in_progress" : "succeeded";
}

function mediaJson(sim: SimulatorContext, media: Media, size: number, more: JsonObject = {}): JsonObject {
  const state = processingState(sim, media);
  const isProcessing = state === "pending" || state === "in_progress";
  const remainingMs = (media.finalizedAt ?? 0) + sim.settings.processing_ms - sim.now();
  const processingInfo: JsonObject = {
    state,
    ...(isProcessing && { check_after_secs: Math.min(5, Math.max(1, Math.ceil(remainingMs / 1000))) }),
    ...(state === "in_progress" && { progress_percent: 50 }),
    ...((state === "succeeded" || state === "failed") && { progress_percent: 100 }),
    ...(state === "failed" && media.failure && { error: { ...media.failure } }),
  };
  const prefix = { image: "3", gif: "16", video: "7" }[media.kind];
  return {
    id: media.id,
    media_key: `${prefix}_${media.id}`,
    ...(size > 0 && { size }),
    expires_after_secs: Math.max(0, Math.floor((media.createdAt + MEDIA_LIFETIME_MS - sim.now()) / 1000)),
    ...(media.kind !== "image" &&
      media.finalizedAt !== null &&
      sim.settings.processing_ms > 0 && { processing_info: processingInfo }),
    ...more,
  };
}

const mediaFailure = (code: number, name: string, message: string): NonNullable<Media["failure"]> => ({
  code,
  name,
  message,
});

/** Why processing fails, according to the first bytes; null if it succeeds. */
function findFailure(media: Media, head: Uint8Array): Media["failure"] {
  const info = inspectMedia(head);
  if (media.isMarkedToFail || new TextDecoder("latin1").decode(head).includes(FAIL_MARKER)) {
    return mediaFailure(1, "InternalError", "The media could not be processed");
  }
  if (media.kind === "gif") {
    const isSupported = info.type === "image/gif" && (info.width ?? 0) <= 1280 && (info.height ?? 0) <= 1080;
    return isSupported ? null : mediaFailure(1, "InvalidMedia", "Unsupported GIF");
  }
  const isMp4 = media.mediaType === "video/mp4" || media.mediaType === "video/quicktime";
  if (isMp4 && info.type !== "video/mp4") {
    return mediaFailure(2, "UnsupportedMedia", "The file is not a video of the declared type");
  }
  const seconds = info.durationSeconds;
  return seconds !== null && seconds < 0.5 ? mediaFailure(3, "InvalidMedia", "Duration too short") : null;
}

const toText = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : "";

/** The bytes and the other fields of an upload call, from a form or from JSON with base64. */
async function readUpload(
  request: Request,
): Promise<{ bytes: Uint8Array; name: string; field(name: string): string } | null> {
  try {
    if (request.headers.get("content-type")?.startsWith("application/json")) {
      const body = await request.json<Record<string, unknown>>();
      const text = (name: string): string => toText(body[name]);
      return { bytes: fromBase64(text("media")), name: "", field: text };
    }
    const form = await request.formData();
    const media = form.get("media");
    if (!(media instanceof File)) {
      return null;
    }
    return {
      bytes: new Uint8Array(await media.arrayBuffer()),
      name: media.name,
      field: (name) => toText(form.get(name)),
    };
  } catch {
    return null;
  }
}

const exceedsLength = (request: Request, max: number): boolean =>
  Number(request.headers.get("content-length") ?? 0) > max;
const payloadTooLarge = (): Response => new Response(null, { status: 413 });

/** POST /2/media/upload */
export async function uploadInOneCall(request: Request, sim: SimulatorContext, user: TestUser): Promise<Response> {
  if (exceedsLength(request, MAX_ONE_CALL_BODY_BYTES)) {
    return payloadTooLarge();
  }
  const upload = await readUpload(request);
  if (!upload) {
    return invalidRequest("media is required: a multipart form or JSON with base64");
  }
  const category = upload.field("media_category");
  if (category !== "tweet_image") {
    return invalidRequest("media_category must be tweet_image for an upload in one call", {
      media_category: [category],
    });
  }
  const { bytes } = upload;
  const info = inspectMedia(bytes.subarray(0, 64 * 1024));
  if (!IMAGE_TYPES.has(info.type)) {
    return invalidRequest("The type of the media is not supported");
  }
  if (bytes.length > MAX_BYTES_BY_KIND.image) {
    return invalidRequest(`File size exceeds ${MAX_BYTES_BY_KIND.image} bytes.`);
  }
  const { sha256 } = await sim.digest(new Blob([bytes]).stream());
  const media = saveMedia(sim, {
    id: sim.newId(19),
    owner: user.id,
    kind: "image",
    category,
    mediaType: info.type,
    totalBytes: bytes.length,
    createdAt: sim.now(),
    finalizedAt: sim.now(),
    sha256,
    durationSeconds: null,
    failure: null,
    isMarkedToFail: false,
    altText: null,
  });
  const image = { image_type: info.type, w: info.width ?? 0, h: info.height ?? 0 };
  return Response.json({ data: mediaJson(sim, media, bytes.length, { image }) });
}

/** POST /2/media/upload/initialize */
export async function initializeUpload(request: Request, sim: SimulatorContext, user: TestUser): Promise<Response> {
  const body = (await request.json().catch(() => null)) as Record<string, unknown> | null;
  if (!body) {
    return invalidRequest("Request body is not valid JSON");
  }
  const { media_type: mediaType, media_category: category, total_bytes: totalBytes } = body;
  const kind = CATEGORY_KIND[category as keyof typeof CATEGORY_KIND];
  if (kind === undefined || typeof mediaType !== "string" || !MEDIA_TYPES[kind].includes(mediaType)) {
    return invalidRequest("media_type is not allowed for this media_category");
  }
  if (
    !Number.isSafeInteger(totalBytes) ||
    (totalBytes as number) < 1 ||
    (totalBytes as number) > MAX_BYTES_BY_KIND[kind]
  ) {
    return invalidRequest(`total_bytes must be 1 to ${MAX_BYTES_BY_KIND[kind]}`);
  }
  const media = saveMedia(sim, {
    id: sim.newId(19),
    owner: user.id,
    kind,
    category: String(category),
    mediaType,
    totalBytes: totalBytes as number,
    createdAt: sim.now(),
    finalizedAt: null,
    sha256: null,
    durationSeconds: null,
    failure: null,
    isMarkedToFail: false,
    altText: null,
  });
  return Response.json({ data: mediaJson(sim, media, 0) });
}

/** POST /2/media/upload/{id}/append */
export async function appendSegment(
  request: Request,
  sim: SimulatorContext,
  user: TestUser,
  id: string,
): Promise<Response> {
  const media = findUsableMedia(sim, user, id);
  if (!media) {
    return notFound();
  }
  const max = Number(sim.settings.extra["append_max_bytes"] ?? MIB);
  // A multipart form adds a few hundred bytes; base64 in JSON adds a third.
  if (exceedsLength(request, 2 * max + 4096)) {
    return payloadTooLarge();
  }
  const upload = await readUpload(request);
  const index = Number(upload?.field("segment_index") || Number.NaN);
  if (!upload || !Number.isInteger(index) || index < 0 || index >= MAX_SEGMENTS) {
    return invalidRequest(`media and a segment_index of 0 to ${MAX_SEGMENTS - 1} are required`);
  }
  if (upload.bytes.length > max) {
    return payloadTooLarge();
  }
  if (media.finalizedAt !== null || upload.bytes.length === 0) {
    return invalidRequest("the upload does not accept this segment");
  }
  await sim.blobs.put(blobKey(id, index), upload.bytes);
  sim.store.put(segmentKey(id, index), { size: upload.bytes.length });
  if (upload.name.includes("sim-fail")) {
    saveMedia(sim, { ...media, isMarkedToFail: true });
  }
  return Response.json({ data: { expires_at: Math.floor((media.createdAt + MEDIA_LIFETIME_MS) / 1000) } });
}

/** Hashes and inspects the segments as one file. The next status call restarts it if the process ended. */
function digestSegments(sim: SimulatorContext, id: string, count: number): Promise<void> {
  return sim.runOnce(`digest:${id}`, async () => {
    const keys = Array.from({ length: count }, (_, index) => blobKey(id, index));
    const { sha256, head } = await sim.digestBlobs(keys);
    const media = sim.store.get(mediaKey(id)) as Media | undefined;
    if (media && media.sha256 === null) {
      saveMedia(sim, {
        ...media,
        sha256,
        durationSeconds: inspectMedia(head).durationSeconds,
        failure: findFailure(media, head),
      });
      await sim.blobs.delete(keys);
    }
  });
}

/** POST /2/media/upload/{id}/finalize */
export async function finalizeUpload(sim: SimulatorContext, user: TestUser, id: string): Promise<Response> {
  const media = findUsableMedia(sim, user, id);
  if (!media) {
    return notFound();
  }
  const segments = sim.store.list<Segment>(segmentPrefix(id));
  const gap = segments.findIndex(([key], index) => key !== segmentKey(id, index));
  const size = segments.reduce((sum, [, segment]) => sum + segment.size, 0);
  if (gap !== -1 || size !== media.totalBytes) {
    return invalidRequest(`Segments do not add up to provided total file size: ${size} of ${media.totalBytes} bytes.`);
  }
  const finalized = media.finalizedAt === null ? saveMedia(sim, { ...media, finalizedAt: sim.now() }) : media;
  if (finalized.sha256 === null) {
    const digesting = digestSegments(sim, id, segments.length);
    if (sim.settings.processing_ms === 0) {
      await digesting;
    }
  }
  return Response.json({ data: mediaJson(sim, findUsableMedia(sim, user, id) ?? finalized, size) });
}

/** GET /2/media/upload?command=STATUS&media_id= */
export async function readUploadStatus(url: URL, sim: SimulatorContext, user: TestUser): Promise<Response> {
  if (url.searchParams.get("command") !== "STATUS") {
    return invalidRequest("command must be STATUS");
  }
  const id = url.searchParams.get("media_id") ?? "";
  const media = findUsableMedia(sim, user, id);
  if (!media || media.kind === "image" || media.finalizedAt === null) {
    return invalidRequest("BadRequest: Not found", { media_id: [id] });
  }
  if (media.sha256 === null) {
    const digesting = digestSegments(sim, id, sim.store.list(segmentPrefix(id)).length);
    if (sim.now() - media.finalizedAt >= sim.settings.processing_ms) {
      await digesting;
    }
  }
  const current = findUsableMedia(sim, user, id) ?? media;
  return Response.json({ data: mediaJson(sim, current, current.totalBytes) });
}

/** POST /2/media/metadata */
export async function setAltText(request: Request, sim: SimulatorContext, user: TestUser): Promise<Response> {
  const body = (await request.json().catch(() => null)) as {
    id?: unknown;
    metadata?: { alt_text?: { text?: unknown } };
  } | null;
  const media = findUsableMedia(sim, user, String(body?.id));
  const text = body?.metadata?.alt_text?.text;
  if (media?.kind === "video") {
    return invalidRequest("alt_text is supported for images and GIFs only");
  }
  if (!media || typeof text !== "string" || text.length > MAX_ALT_TEXT_LENGTH) {
    return invalidRequest(`id and metadata.alt_text.text of up to ${MAX_ALT_TEXT_LENGTH} characters are required`);
  }
  saveMedia(sim, { ...media, altText: text });
  return Response.json({ data: { id: media.id, associated_metadata: { alt_text: { text } } } });
}
