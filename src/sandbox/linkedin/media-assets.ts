import { recordTable } from "#sandbox/record-table.ts";
import { HOUR } from "#core/clock.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import { inspectMedia, type MediaInfo } from "#sandbox/inspect-media.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { bearerToken, findValidToken, type Token } from "#sandbox/oauth-server.ts";
import { invalidValue, missingField, errorResponse } from "./error-responses.ts";
import { checkCanPostAs } from "./authorization.ts";

/*
 * Images, videos and documents before a post uses them: platforms/linkedin.md 2.3 and 2.4, and for documents
 * learn.microsoft.com/linkedin/marketing/community-management/shares/documents-api.
 */

const WWW = "www.linkedin.com";
const PART_BYTES = 4 * 1024 * 1024;
const UPLOAD_URL_LIFETIME_MS = HOUR;
const VIDEO_MAX_BYTES = 500 * 1024 * 1024;
const VIDEO_MIN_SECONDS = 2.9;
const VIDEO_MAX_SECONDS = 30 * 60;
const PIXELS_MAX = 36_152_320;
const IMAGE_TYPES: ReadonlySet<MediaInfo["type"]> = new Set(["image/jpeg", "image/png", "image/gif"]);

/** ayrshare.com/docs/apis/post/social-networks/linkedin.md, `thumbNail`: PNG or JPG of less than 10 MB. */
const THUMBNAIL_TYPES: ReadonlySet<MediaInfo["type"]> = new Set(["image/jpeg", "image/png"]);
const THUMBNAIL_MAX_BYTES = 9_999_999;

/** documents-api: "The file size cannot exceed 100MB and 300 pages". The service sends only PDF files. */
const DOCUMENT_MAX_BYTES = 100_000_000;
const DOCUMENT_MAX_PAGES = 300;

export interface Asset {
  readonly kind: "image" | "video" | "document";
  readonly owner: string;
  readonly login: string;
  readonly parts: readonly { readonly first: number; readonly last: number; readonly etag: string | null }[];
  readonly expiresAt: number;
  /** When processing ends; null until the upload is complete. */
  readonly readyAt: number | null;
  readonly sha256: string | null;
  readonly failure: string | null;
  /** The hash of an announced video cover; null until it has arrived. */
  readonly thumbnail?: { readonly sha256: string | null };
}

const ASSETS = recordTable<Asset>("asset:");

export const findAsset = (sim: SimulatorContext, urn: string): Asset | undefined => ASSETS.find(sim, urn);

function saveAsset(sim: SimulatorContext, urn: string, asset: Asset): void {
  ASSETS.save(sim, urn, { ...asset, parts: asset.parts.map((part) => ({ ...part })) });
}

const objectIn = (body: JsonObject, name: string): JsonObject => {
  const value = body[name];
  return isJsonObject(value) ? value : {};
};

const uploadUrl = (urn: string, part: number | "thumbnail"): string =>
  `https://${WWW}/dms-uploads/${encodeURIComponent(urn)}/${part}`;

function checkVideoSize(size: JsonValue | undefined): Response | null {
  return Number.isSafeInteger(size) && Number(size) > 0 && Number(size) <= VIDEO_MAX_BYTES
    ? null
    : invalidValue("ERROR :: /initializeUploadRequest/fileSizeBytes :: is missing or out of range");
}

/** POST /rest/images, /rest/videos and /rest/documents with action=initializeUpload */
export function initializeUpload(sim: SimulatorContext, token: Token, kind: Asset["kind"], body: JsonObject): Response {
  const request = objectIn(body, "initializeUploadRequest");
  const { owner, fileSizeBytes } = request;
  if (typeof owner !== "string") {
    return missingField("/initializeUploadRequest/owner");
  }
  const error = checkCanPostAs(sim, token, owner) ?? (kind === "video" ? checkVideoSize(fileSizeBytes) : null);
  if (error) {
    return error;
  }
  const size = kind === "video" ? Number(fileSizeBytes) : 0;
  const urn = `urn:li:${kind}:C${sim.newSecret("")}`;
  const parts = Array.from({ length: Math.max(1, Math.ceil(size / PART_BYTES)) }, (_, index) => ({
    first: index * PART_BYTES,
    last: Math.min(size, (index + 1) * PART_BYTES) - 1,
    etag: null,
  }));
  const expiresAt = sim.now() + UPLOAD_URL_LIFETIME_MS;
  const unprocessed = { readyAt: null, sha256: null, failure: null };
  const hasThumbnail = kind === "video" && request["uploadThumbnail"] === true;
  saveAsset(sim, urn, {
    kind,
    owner,
    login: token.login,
    parts,
    expiresAt,
    ...unprocessed,
    ...(hasThumbnail && { thumbnail: { sha256: null } }),
  });
  return Response.json({
    value:
      kind !== "video"
        ? { uploadUrlExpiresAt: expiresAt, uploadUrl: uploadUrl(urn, 0), [kind]: urn }
        : {
            uploadUrlsExpireAt: expiresAt,
            video: urn,
            uploadToken: "",
            ...(hasThumbnail && { thumbnailUploadUrl: uploadUrl(urn, "thumbnail") }),
            uploadInstructions: parts.map(({ first, last }, index) => ({
              firstByte: first,
              lastByte: last,
              uploadUrl: uploadUrl(urn, index),
            })),
          },
  });
}

function processingFailure(
  sim: SimulatorContext,
  kind: Asset["kind"],
  { head, size }: { readonly head: Uint8Array; readonly size: number },
): string | null {
  if (sim.settings.extra["fail_processing"] === true) {
    return "Processing failed";
  }
  if (kind === "document") {
    return documentFailure(head, size);
  }
  const { type, width, height, durationSeconds } = inspectMedia(head);
  if (kind === "image") {
    const isWithinPixelLimit = (width ?? 0) * (height ?? 0) < PIXELS_MAX;
    return IMAGE_TYPES.has(type) && isWithinPixelLimit ? null : "Unsupported image";
  }
  const seconds = durationSeconds ?? VIDEO_MIN_SECONDS;
  const isSupported = type === "video/mp4" && seconds >= VIDEO_MIN_SECONDS && seconds <= VIDEO_MAX_SECONDS;
  return isSupported ? null : "Unsupported video";
}

/** Counts pages only if the first bytes contain the number. */
function documentFailure(head: Uint8Array, size: number): string | null {
  const text = new TextDecoder("latin1").decode(head);
  const pages = Number(/\/Type\s*\/Pages\b[^>]*\/Count\s+(\d+)/.exec(text)?.[1] ?? "1");
  return text.startsWith("%PDF-") && size <= DOCUMENT_MAX_BYTES && pages <= DOCUMENT_MAX_PAGES
    ? null
    : "Unsupported document";
}

const blobKey = (urn: string, part: number): string => `sandbox/linkedin/${urn}/${part}`;

async function processUpload(
  sim: SimulatorContext,
  urn: string,
  asset: Asset,
): Promise<Pick<Asset, "readyAt" | "sha256" | "failure">> {
  const { sha256, ...file } = await sim.digestBlobs(asset.parts.map((_, index) => blobKey(urn, index)));
  const readyAt = sim.now() + sim.settings.processing_ms;
  return { readyAt, sha256, failure: processingFailure(sim, asset.kind, file) };
}

/** LinkedIn's documents send the parts of a video without a token; some publishers send one. */
const partsNeedToken = (sim: SimulatorContext): boolean => sim.settings.extra["part_token"] === true;

/** PUT of an image or a document with a bearer token, or of one part of a video without one. */
export async function receiveUpload(request: Request, url: URL, sim: SimulatorContext): Promise<Response> {
  const [, , encoded = "", index = ""] = url.pathname.split("/");
  const urn = decodeURIComponent(encoded);
  const asset = findAsset(sim, urn);
  if (asset && index === "thumbnail") {
    return await receiveThumbnail(request, sim, urn, asset);
  }
  const partIndex = Number(index);
  const part = asset?.parts[partIndex];
  if (!asset || !part) {
    return errorResponse(404, "NOT_FOUND", "Unknown upload");
  }
  if (asset.expiresAt <= sim.now()) {
    return errorResponse(400, "EXPIRED_UPLOAD_URL", "The upload URL has expired");
  }
  const isWhole = asset.kind !== "video";
  const needsToken = isWhole || partsNeedToken(sim);
  if (needsToken && findValidToken(sim, bearerToken(request) ?? "", "access")?.login !== asset.login) {
    return errorResponse(401, "EMPTY_ACCESS_TOKEN", "Empty oauth2 access token");
  }
  if (!needsToken && request.headers.has("authorization")) {
    return errorResponse(400, "ILLEGAL_ARGUMENT", "The upload URL of a part takes no Authorization header");
  }
  const length = request.headers.get("content-length");
  if (length === null || !request.body) {
    return errorResponse(411, "LENGTH_REQUIRED", "A Content-Length is required");
  }
  if (!isWhole && Number(length) !== part.last - part.first + 1) {
    return errorResponse(400, "ILLEGAL_ARGUMENT", `Expected bytes ${part.first}-${part.last}`);
  }
  if (asset.readyAt !== null) {
    return errorResponse(400, "ILLEGAL_ARGUMENT", "The upload is complete");
  }
  const fixedLength = new FixedLengthStream(Number(length));
  await Promise.all([
    request.body.pipeTo(fixedLength.writable),
    sim.blobs.put(blobKey(urn, partIndex), fixedLength.readable),
  ]);
  const outcome = isWhole ? await processUpload(sim, urn, asset) : {};
  // Parts may be uploaded concurrently, so the asset is read again.
  const current = findAsset(sim, urn) ?? asset;
  const etag = `/ambry-videoei/${sim.newSecret("")}`;
  const parts = current.parts.map((other, otherIndex) => (otherIndex === partIndex ? { ...other, etag } : other));
  saveAsset(sim, urn, { ...current, parts, ...outcome });
  return new Response(null, { status: 201, headers: { etag: `"${etag}"` } });
}

/**
 * videos-api, `uploadThumbnail`: the cover has its own address. The caller sends it before it finalizes the upload and, like the parts,
 * without a token.
 */
async function receiveThumbnail(request: Request, sim: SimulatorContext, urn: string, asset: Asset): Promise<Response> {
  if (request.headers.has("authorization")) {
    return errorResponse(400, "ILLEGAL_ARGUMENT", "The upload URL of a thumbnail takes no Authorization header");
  }
  if (!asset.thumbnail || asset.readyAt !== null) {
    return errorResponse(400, "ILLEGAL_ARGUMENT", "The upload has no thumbnail or is complete");
  }
  if (request.headers.get("content-length") === null || !request.body) {
    return errorResponse(411, "LENGTH_REQUIRED", "A Content-Length is required");
  }
  const { sha256, size, head } = await sim.digest(request.body);
  if (!THUMBNAIL_TYPES.has(inspectMedia(head).type) || size > THUMBNAIL_MAX_BYTES) {
    return errorResponse(400, "ILLEGAL_ARGUMENT", "A thumbnail is a JPEG or PNG of less than 10 MB");
  }
  const current = findAsset(sim, urn) ?? asset;
  saveAsset(sim, urn, { ...current, thumbnail: { sha256 } });
  return new Response(null, { status: 201 });
}

/** POST /rest/videos?action=finalizeUpload: requires the ETag of every part, in order. */
export async function finalizeVideo(sim: SimulatorContext, token: Token, body: JsonObject): Promise<Response> {
  const { video, uploadToken, uploadedPartIds } = objectIn(body, "finalizeUploadRequest");
  const urn = typeof video === "string" ? video : "";
  const asset = findAsset(sim, urn);
  if (asset?.kind !== "video" || asset.login !== token.login) {
    return errorResponse(400, "INVALID_VIDEO_ID", "Unknown video");
  }
  const etags = asset.parts.map((part) => part.etag);
  const isComplete = !etags.includes(null) && JSON.stringify(uploadedPartIds) === JSON.stringify(etags);
  if (uploadToken !== "" || !isComplete) {
    return errorResponse(400, "ILLEGAL_ARGUMENT", "uploadedPartIds do not match the uploaded parts in order");
  }
  if (asset.thumbnail?.sha256 === null) {
    return errorResponse(400, "ILLEGAL_ARGUMENT", "The announced thumbnail is missing");
  }
  if (asset.readyAt === null) {
    saveAsset(sim, urn, { ...asset, ...(await processUpload(sim, urn, asset)) });
  }
  return new Response(null, { status: 200 });
}

export function statusOf(asset: Asset, now: number): string {
  if (asset.readyAt === null) {
    return "WAITING_UPLOAD";
  }
  if (asset.readyAt > now) {
    return "PROCESSING";
  }
  return asset.failure === null ? "AVAILABLE" : "PROCESSING_FAILED";
}

/** GET /rest/images/{urn}, /rest/videos/{urn} and /rest/documents/{urn}. A member's token can read only videos. */
export function readAsset(sim: SimulatorContext, token: Token, kind: Asset["kind"], urn: string): Response {
  const asset = findAsset(sim, urn);
  if (asset?.kind !== kind || asset.login !== token.login) {
    return errorResponse(404, "NOT_FOUND", "Not found");
  }
  if (kind !== "video" && !token.scopes.includes("r_organization_social")) {
    return errorResponse(403, "ACCESS_DENIED", `Accessing this ${kind} resource is forbidden`);
  }
  const status = statusOf(asset, sim.now());
  return Response.json({
    id: urn,
    owner: asset.owner,
    status,
    ...(status === "PROCESSING_FAILED" && { processingFailureReason: asset.failure }),
  });
}
