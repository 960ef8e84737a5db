import { recordTable } from "#sandbox/record-table.ts";
import { HOUR } from "#core/clock.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import { inspectMedia, type MediaInfo } from "#sandbox/inspect-media.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { bearerToken, findValidToken, type Token } from "#sandbox/oauth-server.ts";
import { invalidValue, missingField, errorResponse } from "./error-responses.ts";
import { checkCanPostAs } from "./authorization.ts";

/* Images and videos before a post uses them: platforms/linkedin.md 2.3 and 2.4. */

const WWW = "www.linkedin.com";
const PART_BYTES = 4 * 1024 * 1024;
const UPLOAD_URL_LIFETIME_MS = HOUR;
const VIDEO_MAX_BYTES = 500 * 1024 * 1024;
const VIDEO_MIN_SECONDS = 2.9;
const VIDEO_MAX_SECONDS = 30 * 60;
const PIXELS_MAX = 36_152_320;
const IMAGE_TYPES: ReadonlySet<MediaInfo["type"]> = new Set(["image/jpeg", "image/png", "image/gif"]);

export interface Asset {
  readonly kind: "image" | "video";
  readonly owner: string;
  readonly login: string;
  readonly parts: readonly { readonly first: number; readonly last: number; readonly etag: string | null }[];
  readonly expiresAt: number;
  /** When processing ends; null until the upload is complete. */
  readonly readyAt: number | null;
  readonly sha256: string | null;
  readonly failure: string | null;
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

const uploadUrl = (urn: string, part: number): string =>
  `https://${WWW}/dms-uploads/${encodeURIComponent(urn)}/${part}`;

function checkVideoSize(size: JsonValue | undefined): Response | null {
  return Number.isSafeInteger(size) && Number(size) > 0 && Number(size) <= VIDEO_MAX_BYTES
    ? null
    : invalidValue("ERROR :: /initializeUploadRequest/fileSizeBytes :: is missing or out of range");
}

/** POST /rest/images and /rest/videos with action=initializeUpload */
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
  saveAsset(sim, urn, { kind, owner, login: token.login, parts, expiresAt, ...unprocessed });
  return Response.json({
    value:
      kind === "image"
        ? { uploadUrlExpiresAt: expiresAt, uploadUrl: uploadUrl(urn, 0), image: urn }
        : {
            uploadUrlsExpireAt: expiresAt,
            video: urn,
            uploadToken: "",
            uploadInstructions: parts.map(({ first, last }, index) => ({
              firstByte: first,
              lastByte: last,
              uploadUrl: uploadUrl(urn, index),
            })),
          },
  });
}

function processingFailure(sim: SimulatorContext, kind: Asset["kind"], head: Uint8Array): string | null {
  if (sim.settings.extra["fail_processing"] === true) {
    return "Processing failed";
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

const blobKey = (urn: string, part: number): string => `sandbox/linkedin/${urn}/${part}`;

async function processUpload(
  sim: SimulatorContext,
  urn: string,
  asset: Asset,
): Promise<Pick<Asset, "readyAt" | "sha256" | "failure">> {
  const { sha256, head } = await sim.digestBlobs(asset.parts.map((_, index) => blobKey(urn, index)));
  const readyAt = sim.now() + sim.settings.processing_ms;
  return { readyAt, sha256, failure: processingFailure(sim, asset.kind, head) };
}

/** The documents show the parts of a video without a token; some publishers send it. */
const partsNeedToken = (sim: SimulatorContext): boolean => sim.settings.extra["part_token"] === true;

/** PUT of an image with a bearer token, or of one part of a video without. */
export async function receiveUpload(request: Request, url: URL, sim: SimulatorContext): Promise<Response> {
  const [, , encoded = "", index = ""] = url.pathname.split("/");
  const urn = decodeURIComponent(encoded);
  const asset = findAsset(sim, urn);
  const partIndex = Number(index);
  const part = asset?.parts[partIndex];
  if (!asset || !part) {
    return errorResponse(404, "NOT_FOUND", "Unknown upload");
  }
  if (asset.expiresAt <= sim.now()) {
    return errorResponse(400, "EXPIRED_UPLOAD_URL", "The upload URL has expired");
  }
  const needsToken = asset.kind === "image" || partsNeedToken(sim);
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
  if (asset.kind === "video" && Number(length) !== part.last - part.first + 1) {
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
  const outcome = asset.kind === "image" ? await processUpload(sim, urn, asset) : {};
  // Parts may be uploaded concurrently, so the asset is read again.
  const current = findAsset(sim, urn) ?? asset;
  const etag = `/ambry-videoei/${sim.newSecret("")}`;
  const parts = current.parts.map((other, otherIndex) => (otherIndex === partIndex ? { ...other, etag } : other));
  saveAsset(sim, urn, { ...current, parts, ...outcome });
  return new Response(null, { status: 201, headers: { etag: `"${etag}"` } });
}

/** POST /rest/videos?action=finalizeUpload: needs the ETag of every part, in order. */
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

/** GET /rest/images/{urn} and /rest/videos/{urn}; a member's token can read videos only. */
export function readAsset(sim: SimulatorContext, token: Token, kind: Asset["kind"], urn: string): Response {
  const asset = findAsset(sim, urn);
  if (asset?.kind !== kind || asset.login !== token.login) {
    return errorResponse(404, "NOT_FOUND", "Not found");
  }
  if (kind === "image" && !token.scopes.includes("r_organization_social")) {
    return errorResponse(403, "ACCESS_DENIED", "Accessing this image resource is forbidden");
  }
  const status = statusOf(asset, sim.now());
  return Response.json({
    id: urn,
    owner: asset.owner,
    status,
    ...(status === "PROCESSING_FAILED" && { processingFailureReason: asset.failure }),
  });
}
