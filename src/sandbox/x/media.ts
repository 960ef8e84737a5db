import type { JsonObject } from "#core/json.ts";
import { fromBase64 } from "#core/encoding.ts";
import { lookAt } from "#sandbox/bytes.ts";
import type { Sim } from "#sandbox/contract.ts";
import { invalid, notFound } from "./answers.ts";
import type { Person } from "./people.ts";

/* Media uploads: one shot for images, chunks for GIFs and videos (platforms/x.md 2.3 and 2.4). */

const MIB = 1024 * 1024;
const LIFETIME_MS = 86_400_000;
const SEGMENTS_MAX = 1000;
const ALT_TEXT_MAX = 1000;
const ONE_SHOT_BODY_MAX = 24 * MIB;
const FAIL_MARKER = "#sim-fail";

const SIZE_MAX = { image: 5 * MIB, gif: 15 * MIB, video: 512 * MIB } as const;
const CATEGORY_KIND = { tweet_image: "image", tweet_gif: "gif", tweet_video: "video" } as const;
const MEDIA_TYPES: Readonly<Record<keyof typeof SIZE_MAX, readonly string[]>> = {
  image: ["image/jpeg", "image/pjpeg", "image/png", "image/webp", "image/gif", "image/bmp", "image/tiff"],
  gif: ["image/gif"],
  video: ["video/mp4", "video/quicktime", "video/webm", "video/mp2t"],
};
const IMAGE_TYPES = new Set(["image/jpeg", "image/png", "image/webp", "image/gif"]);

export interface Media {
  readonly id: string;
  readonly owner: string;
  readonly kind: keyof typeof SIZE_MAX;
  readonly mediaType: string;
  readonly totalBytes: number;
  readonly createdAt: number;
  /** Null until finalize. */
  readonly finalizedAt: number | null;
  /** Null until the bytes were read. */
  readonly sha256: string | null;
  readonly durationSeconds: number | null;
  readonly failure: { readonly code: number; readonly name: string; readonly message: string } | null;
  /** Asked for by the file's name. */
  readonly toFail: boolean;
  readonly altText: string | null;
}

type Segment = { readonly size: number };

const mediaKey = (id: string): string => `media:${id}`;
const segmentPrefix = (id: string): string => `segment:${id}:`;
const segmentKey = (id: string, index: number): string => `${segmentPrefix(id)}${String(index).padStart(4, "0")}`;
const blobKey = (id: string, index: number): string => `uploads/${id}/${String(index).padStart(4, "0")}`;

function put(sim: Sim, media: Media): Media {
  sim.store.put(mediaKey(media.id), { ...media });
  return media;
}

/** Media of that person that can still be used. */
export function ownMedia(sim: Sim, person: Person, id: string): Media | undefined {
  const media = sim.store.get(mediaKey(id)) as Media | undefined;
  return media && media.owner === person.id && media.createdAt + LIFETIME_MS > sim.now() ? media : undefined;
}

export type Processing = "pending" | "in_progress" | "succeeded" | "failed" | "unfinished";

export function processingOf(sim: Sim, media: Media): Processing {
  if (media.finalizedAt === null) {
    return "unfinished";
  }
  const passed = sim.now() - media.finalizedAt;
  const { processing_ms } = sim.settings;
  if (media.kind !== "image" && passed < processing_ms) {
    return passed < processing_ms / 2 ? "pending" : "in_progress";
  }
  if (media.failure) {
    return "failed";
  }
  return media.sha256 === null ? "in_progress" : "succeeded";
}

function describe(sim: Sim, media: Media, size: number, more: JsonObject = {}): JsonObject {
  const state = processingOf(sim, media);
  const waiting = state === "pending" || state === "in_progress";
  const left = (media.finalizedAt ?? 0) + sim.settings.processing_ms - sim.now();
  const info: JsonObject = {
    state,
    ...(waiting && { check_after_secs: Math.min(5, Math.max(1, Math.ceil(left / 1000))) }),
    ...(state === "in_progress" && { progress_percent: 50 }),
    ...((state === "succeeded" || state === "failed") && { progress_percent: 100 }),
    ...(state === "failed" && media.failure && { error: { ...media.failure } }),
  };
  const prefix = { image: "3", gif: "16", video: "7" }[media.kind];
  return {
    id: media.id,
    media_key: `${prefix}_${media.id}`,
    ...(size > 0 && { size }),
    expires_after_secs: Math.max(0, Math.floor((media.createdAt + LIFETIME_MS - sim.now()) / 1000)),
    ...(media.kind !== "image" &&
      media.finalizedAt !== null &&
      sim.settings.processing_ms > 0 && { processing_info: info }),
    ...more,
  };
}

const failure = (code: number, name: string, message: string): NonNullable<Media["failure"]> => ({
  code,
  name,
  message,
});

/** What the bytes are, by looking at them; null when they are fine. */
function faultIn(media: Media, head: Uint8Array): Media["failure"] {
  const looks = lookAt(head);
  if (media.toFail || new TextDecoder("latin1").decode(head).includes(FAIL_MARKER)) {
    return failure(1, "InternalError", "The media could not be processed");
  }
  if (media.kind === "gif") {
    const fits = looks.type === "image/gif" && (looks.width ?? 0) <= 1280 && (looks.height ?? 0) <= 1080;
    return fits ? null : failure(1, "InvalidMedia", "Unsupported GIF");
  }
  const isMp4 = media.mediaType === "video/mp4" || media.mediaType === "video/quicktime";
  if (isMp4 && looks.type !== "video/mp4") {
    return failure(2, "UnsupportedMedia", "The file is not a video of the declared type");
  }
  const seconds = looks.durationSeconds;
  return seconds !== null && seconds < 0.5 ? failure(3, "InvalidMedia", "Duration too short") : null;
}

const plain = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : "";

/** The bytes and the other fields of an upload call, from a form or from JSON with base64. */
async function readUpload(
  request: Request,
): Promise<{ bytes: Uint8Array; name: string; field(name: string): string } | null> {
  try {
    if (request.headers.get("content-type")?.startsWith("application/json")) {
      const body = await request.json<Record<string, unknown>>();
      const text = (name: string): string => plain(body[name]);
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
      field: (name) => plain(form.get(name)),
    };
  } catch {
    return null;
  }
}

const tooLong = (request: Request, max: number): boolean => Number(request.headers.get("content-length") ?? 0) > max;
const oversized = (): Response => new Response(null, { status: 413 });

/** POST /2/media/upload */
export async function uploadAtOnce(request: Request, sim: Sim, person: Person): Promise<Response> {
  if (tooLong(request, ONE_SHOT_BODY_MAX)) {
    return oversized();
  }
  const upload = await readUpload(request);
  if (!upload) {
    return invalid("media is required: a multipart form or JSON with base64");
  }
  const category = upload.field("media_category");
  if (category !== "tweet_image") {
    return invalid("media_category must be tweet_image for an upload in one call", { media_category: [category] });
  }
  const { bytes } = upload;
  const looks = lookAt(bytes.subarray(0, 64 * 1024));
  if (!IMAGE_TYPES.has(looks.type)) {
    return invalid("The type of the media is not supported");
  }
  if (bytes.length > SIZE_MAX.image) {
    return invalid(`File size exceeds ${SIZE_MAX.image} bytes.`);
  }
  const { sha256 } = await sim.digest(new Blob([bytes]).stream());
  const media = put(sim, {
    id: sim.id(19),
    owner: person.id,
    kind: "image",
    mediaType: looks.type,
    totalBytes: bytes.length,
    createdAt: sim.now(),
    finalizedAt: sim.now(),
    sha256,
    durationSeconds: null,
    failure: null,
    toFail: false,
    altText: null,
  });
  const image = { image_type: looks.type, w: looks.width ?? 0, h: looks.height ?? 0 };
  return Response.json({ data: describe(sim, media, bytes.length, { image }) });
}

/** POST /2/media/upload/initialize */
export async function initialize(request: Request, sim: Sim, person: Person): Promise<Response> {
  const body = (await request.json().catch(() => null)) as Record<string, unknown> | null;
  if (!body) {
    return invalid("Request body is not valid JSON");
  }
  const { media_type: mediaType, media_category: category, total_bytes: totalBytes } = body;
  const kind = CATEGORY_KIND[category as keyof typeof CATEGORY_KIND];
  if (kind === undefined || typeof mediaType !== "string" || !MEDIA_TYPES[kind].includes(mediaType)) {
    return invalid("media_category and media_type do not fit");
  }
  if (!Number.isSafeInteger(totalBytes) || (totalBytes as number) < 1 || (totalBytes as number) > SIZE_MAX[kind]) {
    return invalid(`total_bytes must be 1 to ${SIZE_MAX[kind]}`);
  }
  const media = put(sim, {
    id: sim.id(19),
    owner: person.id,
    kind,
    mediaType,
    totalBytes: totalBytes as number,
    createdAt: sim.now(),
    finalizedAt: null,
    sha256: null,
    durationSeconds: null,
    failure: null,
    toFail: false,
    altText: null,
  });
  return Response.json({ data: describe(sim, media, 0) });
}

/** POST /2/media/upload/{id}/append */
export async function append(request: Request, sim: Sim, person: Person, id: string): Promise<Response> {
  const media = ownMedia(sim, person, id);
  if (!media) {
    return notFound();
  }
  const max = Number(sim.settings.extra["append_max_bytes"] ?? MIB);
  // A form around the bytes takes a few hundred bytes, base64 in JSON a third more.
  if (tooLong(request, 2 * max + 4096)) {
    return oversized();
  }
  const upload = await readUpload(request);
  const index = Number(upload?.field("segment_index") || Number.NaN);
  if (!upload || !Number.isInteger(index) || index < 0 || index >= SEGMENTS_MAX) {
    return invalid(`media and a segment_index of 0 to ${SEGMENTS_MAX - 1} are required`);
  }
  if (upload.bytes.length > max) {
    return oversized();
  }
  if (media.finalizedAt !== null || upload.bytes.length === 0) {
    return invalid("the upload takes no such segment");
  }
  await sim.blobs.put(blobKey(id, index), upload.bytes);
  sim.store.put(segmentKey(id, index), { size: upload.bytes.length });
  if (upload.name.includes("sim-fail")) {
    put(sim, { ...media, toFail: true });
  }
  return Response.json({ data: { expires_at: Math.floor((media.createdAt + LIFETIME_MS) / 1000) } });
}

/** Reads the joined segments; asked again after a kill it starts over. */
function digestSegments(sim: Sim, id: string, count: number): Promise<void> {
  return sim.run(`digest:${id}`, async () => {
    const keys = Array.from({ length: count }, (_, index) => blobKey(id, index));
    const { sha256, head } = await sim.digestBlobs(keys);
    const media = sim.store.get(mediaKey(id)) as Media | undefined;
    if (media && media.sha256 === null) {
      put(sim, { ...media, sha256, durationSeconds: lookAt(head).durationSeconds, failure: faultIn(media, head) });
      await sim.blobs.delete(keys);
    }
  });
}

/** POST /2/media/upload/{id}/finalize */
export async function finalize(sim: Sim, person: Person, id: string): Promise<Response> {
  const media = ownMedia(sim, person, id);
  if (!media) {
    return notFound();
  }
  const segments = sim.store.list<Segment>(segmentPrefix(id));
  const gap = segments.findIndex(([key], index) => key !== segmentKey(id, index));
  const size = segments.reduce((sum, [, segment]) => sum + segment.size, 0);
  if (gap !== -1 || size !== media.totalBytes) {
    return invalid(`Segments do not add up to provided total file size: ${size} of ${media.totalBytes} bytes.`);
  }
  const done = media.finalizedAt === null ? put(sim, { ...media, finalizedAt: sim.now() }) : media;
  if (done.sha256 === null) {
    const reading = digestSegments(sim, id, segments.length);
    if (sim.settings.processing_ms === 0) {
      await reading;
    }
  }
  return Response.json({ data: describe(sim, ownMedia(sim, person, id) ?? done, size) });
}

/** GET /2/media/upload?command=STATUS&media_id= */
export async function status(url: URL, sim: Sim, person: Person): Promise<Response> {
  if (url.searchParams.get("command") !== "STATUS") {
    return invalid("command must be STATUS");
  }
  const id = url.searchParams.get("media_id") ?? "";
  const media = ownMedia(sim, person, id);
  if (!media || media.kind === "image" || media.finalizedAt === null) {
    return invalid("BadRequest: Not found", { media_id: [id] });
  }
  if (media.sha256 === null) {
    const reading = digestSegments(sim, id, sim.store.list(segmentPrefix(id)).length);
    if (sim.now() - media.finalizedAt >= sim.settings.processing_ms) {
      await reading;
    }
  }
  const now = ownMedia(sim, person, id) ?? media;
  return Response.json({ data: describe(sim, now, now.totalBytes) });
}

/** POST /2/media/metadata */
export async function describeMedia(request: Request, sim: Sim, person: Person): Promise<Response> {
  const body = (await request.json().catch(() => null)) as {
    id?: unknown;
    metadata?: { alt_text?: { text?: unknown } };
  } | null;
  const media = ownMedia(sim, person, String(body?.id));
  const text = body?.metadata?.alt_text?.text;
  if (!media || typeof text !== "string" || text.length > ALT_TEXT_MAX) {
    return invalid(`id and metadata.alt_text.text of up to ${ALT_TEXT_MAX} characters are required`);
  }
  put(sim, { ...media, altText: text });
  return Response.json({ data: { id: media.id, associated_metadata: { alt_text: { text } } } });
}
