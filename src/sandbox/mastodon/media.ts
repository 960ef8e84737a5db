import { DAY } from "#core/clock.ts";
import type { JsonObject } from "#core/json.ts";
import type { Caller } from "./authorization.ts";
import type { Call, InstanceStore } from "./call.ts";
import {
  fixedError,
  internalError,
  recordNotFound,
  routeNotFound,
  translatedError,
  type Translated,
  validationError,
} from "./error-responses.ts";
import {
  FRAME_RATE_LIMIT,
  GIF_MATRIX_LIMIT,
  IMAGE_MATRIX_LIMIT,
  type Instance,
  supportedMimeTypes,
  VIDEO_MATRIX_LIMIT,
} from "./instances.ts";
import { inspectFile, type MediaFile } from "./media-file.ts";
import { ParamError, type Params } from "./params.ts";

/* Media attachments (docs/platforms/facts/mastodon.md part 3 and 6.11). */

/** The largest body: 99m in M dist/nginx.conf. */
const BODY_MAX_BYTES = 103_809_024;
const FAIL_MARKER = "#sim-fail";

export interface Media {
  readonly id: string;
  readonly accountId: string;
  readonly type: MediaFile["kind"];
  readonly sha256: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly description: string | null;
  readonly focus: string | null;
  readonly createdAt: number;
  readonly readyAt: number;
  /** Whether processing ends with an error. */
  readonly fails: boolean;
  readonly statusId: string | null;
}

export const loadMedia = (store: InstanceStore, id: string): Media | undefined => store.get<Media>(`media/${id}`);
export const saveMedia = (store: InstanceStore, media: Media): void => store.put(`media/${media.id}`, media);

/**
 * Finds one of the user's own media. The server deletes unattached media after 24 hours (M
 * media_attachments_vacuum.rb).
 */
function findOwnMedia({ store, sim }: Call, { user }: Caller, id: string): Media | undefined {
  const media = loadMedia(store, id);
  const isSwept = media && media.statusId === null && media.createdAt + DAY <= sim.now();
  return media && media.accountId === user.id && !isSwept ? media : undefined;
}

export function findAttachableMedia(call: Call, caller: Caller, id: string): Media | undefined {
  const media = findOwnMedia(call, caller, id);
  return media?.statusId === null ? media : undefined;
}

export type MediaState = "processing" | "ready" | "failed";

export function mediaState({ sim }: Pick<Call, "sim">, media: Media): MediaState {
  if (media.readyAt > sim.now()) {
    return "processing";
  }
  return media.fails ? "failed" : "ready";
}

export function mediaJson(host: string, media: Media, state: MediaState): JsonObject {
  const extension = { image: "png", gifv: "mp4", video: "mp4", audio: "mp3" }[media.type];
  const file = (size: string): string | null =>
    state === "ready" ? `https://files.${host}/media_attachments/${media.id}/${size}.${extension}` : null;
  return {
    id: media.id,
    type: media.type,
    url: file("original"),
    preview_url: file("small"),
    remote_url: null,
    preview_remote_url: null,
    text_url: null,
    meta: {
      ...(media.focus !== null && { focus: focusJson(media.focus) }),
      ...(media.width !== null && media.height !== null && { original: { width: media.width, height: media.height } }),
    },
    description: media.description,
    blurhash: state === "ready" ? "UBL_:rOpGG-oBUNG,qRj2so|=eE1w^n4S5NH" : null,
  };
}

function focusJson(focus: string): JsonObject {
  const [x = 0, y = 0] = focus.split(",").map(Number);
  return { x, y };
}

/** The details that an upload or a later change can set. */
interface MediaDetails {
  readonly description: string | null;
  readonly focus: string | null;
}

function readDetails(call: Call, params: Params, current: MediaDetails): MediaDetails | Response {
  const description = params.text("description") ?? current.description;
  const focus = params.text("focus") ?? current.focus;
  const max = call.instance.descriptionLimit;
  if (description !== null && [...description].length > max) {
    return validationError(call, [
      `Description is too long (maximum is ${max} characters)`,
      `Beschreibung ist zu lang (mehr als ${max} Zeichen)`,
    ]);
  }
  const coordinates = focus?.split(",").map(Number) ?? [0, 0];
  const isValidFocus = coordinates.length === 2 && coordinates.every((value) => Math.abs(value) <= 1);
  if (!isValidFocus) {
    throw new ParamError("focus must be two numbers between -1 and 1");
  }
  return { description: description === "" ? null : description, focus };
}

const megabytes = (bytes: number): string => `${Math.floor(bytes / (1024 * 1024))} MB`;

const UNSUPPORTED: Translated = [
  "File content type is invalid, File is invalid",
  "Der Inhaltstyp der Datei ist ungültig, Datei ist ungültig",
];

function sizeProblem(instance: Instance, file: MediaFile, sizeBytes: number): Translated | null {
  // Audio has the limit of videos; a file must be smaller than its limit.
  const limit = file.kind === "image" || file.kind === "gifv" ? instance.imageSizeLimit : instance.videoSizeLimit;
  const max = megabytes(limit);
  return sizeBytes < limit
    ? null
    : [
        `File must be less than ${max}, File file size must be less than ${max}`,
        `Datei muss kleiner sein als ${max}, Dateigröße muss kleiner sein als ${max}`,
      ];
}

/**
 * The problem with a file's dimensions, in the texts of M attachmentable.rb and media_attachment.rb; null without one.
 */
function dimensionsProblem(file: MediaFile): Translated | null {
  const { kind, width, height, frameRate } = file;
  const size = `${width ?? 0}x${height ?? 0}`;
  const pixels = (width ?? 0) * (height ?? 0);
  if (file.mimeType === "image/gif" && pixels > GIF_MATRIX_LIMIT) {
    return [`${size} GIF files are not supported`, `GIF-Dateien mit ${size} werden nicht unterstützt`];
  }
  if (kind === "image" && pixels > IMAGE_MATRIX_LIMIT) {
    return [`${size} images are not supported`, `Bilder mit ${size} werden nicht unterstützt`];
  }
  if (kind !== "video") {
    return null;
  }
  if (!file.hasVideoStream) {
    return ["Video has no video stream", "Das Video enthält keinen Videostream"];
  }
  if (pixels > VIDEO_MATRIX_LIMIT) {
    return [`${size} videos are not supported`, `Videos mit ${size} werden nicht unterstützt`];
  }
  const fps = Math.floor(frameRate ?? 0);
  return (frameRate ?? 0) > FRAME_RATE_LIMIT
    ? [`${fps}fps videos are not supported`, `Videos mit ${fps}fps werden nicht unterstützt`]
    : null;
}

const HEIC = /^image\/(?:heic|heif|avif)$/;
const THUMBNAIL_ERROR = "Error processing thumbnail for uploaded media";

export const exceedsBodyLimit = ({ request }: Call): boolean =>
  Number(request.headers.get("content-length") ?? 0) > BODY_MAX_BYTES;

/** Handles `POST /api/v2/media`. */
export async function uploadMedia(call: Call, caller: Caller, params: Params): Promise<Response> {
  const { sim, settings, instance, store } = call;
  const upload = params.file("file");
  if (!upload) {
    return validationError(call, ["File can't be blank", "Datei muss ausgefüllt werden"]);
  }
  const details = readDetails(call, params, { description: null, focus: null });
  if (details instanceof Response) {
    return details;
  }
  // The part with the file needs a MIME type and a file name.
  const [declaredType = ""] = upload.type.split(";");
  const supported = supportedMimeTypes(settings);
  if (upload.name === "" || !supported.includes(declaredType)) {
    return validationError(call, UNSUPPORTED);
  }
  const file = await inspectFile(upload);
  if (!file) {
    return translatedError(call, 422, [
      "File type of uploaded media could not be verified",
      "Dateityp der hochgeladenen Medien konnte nicht geprüft werden",
    ]);
  }
  if (!supported.includes(file.mimeType)) {
    return validationError(call, UNSUPPORTED);
  }
  const tooLarge = sizeProblem(instance, file, upload.size);
  if (tooLarge) {
    return validationError(call, tooLarge);
  }
  const dimensions = dimensionsProblem(file);
  if (dimensions) {
    return translatedError(call, 422, dimensions);
  }
  const isStill = file.kind === "image";
  if (params.has("thumbnail") && (isStill || file.kind === "gifv" || !params.file("thumbnail"))) {
    throw new ParamError("thumbnail is a file, for video and audio only");
  }
  const { sha256, head } = await sim.digest(upload.stream() as ReadableStream<Uint8Array>);
  const fails = settings.failsProcessing || new TextDecoder("latin1").decode(head).includes(FAIL_MARKER);
  // The server processes an image before it answers. 4.7.2 lists AVIF, but always fails to process it (L mastodon#40541).
  if (isStill && (fails || HEIC.test(file.mimeType))) {
    return internalError(call, THUMBNAIL_ERROR);
  }
  const isReadyAtOnce = isStill || instance.isGoToSocial;
  const media: Media = {
    ...details,
    id: sim.newId(18),
    accountId: caller.user.id,
    type: file.kind,
    sha256,
    width: file.width,
    height: file.height,
    createdAt: sim.now(),
    readyAt: sim.now() + (isReadyAtOnce ? 0 : sim.settings.processing_ms),
    fails,
    statusId: null,
  };
  saveMedia(store, media);
  // The response has status 202 and a null url even when processing is fast: clients must check the status, not the
  // type.
  return isReadyAtOnce
    ? Response.json(mediaJson(instance.host, media, "ready"))
    : Response.json(mediaJson(instance.host, media, "processing"), { status: 202 });
}

function stateResponse(call: Call, media: Media): Response {
  const state = mediaState(call, media);
  if (state === "failed") {
    return fixedError(call, 422, THUMBNAIL_ERROR);
  }
  return Response.json(mediaJson(call.instance.host, media, state), { status: state === "processing" ? 206 : 200 });
}

/** Handles `GET /api/v1/media/{id}`. The answer is 404 also if a post has the media attached. */
export function readMedia(call: Call, caller: Caller, id: string): Response {
  const media = findAttachableMedia(call, caller, id);
  return media ? stateResponse(call, media) : recordNotFound(call);
}

/** Handles `PUT /api/v1/media/{id}`. */
export function updateMedia(call: Call, caller: Caller, id: string, params: Params): Response {
  const media = findAttachableMedia(call, caller, id);
  if (!media) {
    return recordNotFound(call);
  }
  const details = readDetails(call, params, media);
  if (details instanceof Response) {
    return details;
  }
  const updated = { ...media, ...details };
  saveMedia(call.store, updated);
  return stateResponse(call, updated);
}

/** Handles `DELETE /api/v1/media/{id}`, which exists since 4.4. */
export function deleteMedia(call: Call, caller: Caller, id: string): Response {
  if ((call.instance.apiVersion ?? 0) < 6) {
    return routeNotFound(call);
  }
  const media = findOwnMedia(call, caller, id);
  if (!media) {
    return recordNotFound(call);
  }
  if (media.statusId !== null) {
    return translatedError(call, 422, [
      "Media attachment is currently used by a status",
      "Der Medienanhang wird derzeit in einem Beitrag verwendet",
    ]);
  }
  call.store.delete(`media/${id}`);
  return Response.json({});
}
