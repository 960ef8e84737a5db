import { HOUR } from "#core/clock.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import { lookAt, type Looks } from "#sandbox/bytes.ts";
import type { Sim } from "#sandbox/contract.ts";
import { bearer, liveToken, type Token } from "#sandbox/grants.ts";
import { invalidValue, missingField, problem } from "./answers.ts";
import { mayPostAs } from "./session.ts";

/* Images and videos before they stand in a post: platforms/linkedin.md 2.3 and 2.4. */

const WWW = "www.linkedin.com";
const PART = 4 * 1024 * 1024;
const LIFETIME_MS = HOUR;
const VIDEO_MAX_BYTES = 500 * 1024 * 1024;
const VIDEO_MIN_SECONDS = 2.9;
const VIDEO_MAX_SECONDS = 30 * 60;
const PIXELS_MAX = 36_152_320;
const IMAGES: ReadonlySet<Looks["type"]> = new Set(["image/jpeg", "image/png", "image/gif"]);

export interface Asset {
  readonly kind: "image" | "video";
  readonly owner: string;
  readonly login: string;
  readonly parts: readonly { readonly first: number; readonly last: number; readonly etag: string | null }[];
  readonly expiresAt: number;
  /** When processing ends; null while bytes are missing. */
  readonly readyAt: number | null;
  readonly sha256: string | null;
  readonly failure: string | null;
}

export const findAsset = (sim: Sim, urn: string): Asset | undefined =>
  sim.store.get(`asset:${urn}`) as Asset | undefined;

function save(sim: Sim, urn: string, asset: Asset): void {
  sim.store.put(`asset:${urn}`, { ...asset, parts: asset.parts.map((part) => ({ ...part })) });
}

const objectIn = (body: JsonObject, name: string): JsonObject => {
  const value = body[name];
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
};

const uploadUrl = (urn: string, part: number): string =>
  `https://${WWW}/dms-uploads/${encodeURIComponent(urn)}/${part}`;

function sizeProblem(size: JsonValue | undefined): Response | null {
  return Number.isSafeInteger(size) && Number(size) > 0 && Number(size) <= VIDEO_MAX_BYTES
    ? null
    : invalidValue("ERROR :: /initializeUploadRequest/fileSizeBytes :: is missing or out of range");
}

/** POST /rest/images and /rest/videos with action=initializeUpload */
export function initialize(sim: Sim, session: Token, kind: Asset["kind"], body: JsonObject): Response {
  const request = objectIn(body, "initializeUploadRequest");
  const { owner, fileSizeBytes } = request;
  if (typeof owner !== "string") {
    return missingField("/initializeUploadRequest/owner");
  }
  const refused = mayPostAs(sim, session, owner) ?? (kind === "video" ? sizeProblem(fileSizeBytes) : null);
  if (refused) {
    return refused;
  }
  const size = kind === "video" ? Number(fileSizeBytes) : 0;
  const urn = `urn:li:${kind}:C${sim.secret("")}`;
  const parts = Array.from({ length: Math.max(1, Math.ceil(size / PART)) }, (_, index) => ({
    first: index * PART,
    last: Math.min(size, (index + 1) * PART) - 1,
    etag: null,
  }));
  const expiresAt = sim.now() + LIFETIME_MS;
  const nothing = { readyAt: null, sha256: null, failure: null };
  save(sim, urn, { kind, owner, login: session.login, parts, expiresAt, ...nothing });
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

function failureIn(sim: Sim, kind: Asset["kind"], head: Uint8Array): string | null {
  if (sim.settings.extra["fail_processing"] === true) {
    return "Processing failed";
  }
  const { type, width, height, durationSeconds } = lookAt(head);
  if (kind === "image") {
    const isSmall = (width ?? 0) * (height ?? 0) < PIXELS_MAX;
    return IMAGES.has(type) && isSmall ? null : "Unsupported image";
  }
  const seconds = durationSeconds ?? VIDEO_MIN_SECONDS;
  const isFilm = type === "video/mp4" && seconds >= VIDEO_MIN_SECONDS && seconds <= VIDEO_MAX_SECONDS;
  return isFilm ? null : "Unsupported video";
}

const blobKey = (urn: string, part: number): string => `sandbox/linkedin/${urn}/${part}`;

/** What the bytes are, once all of them are there. */
async function processed(sim: Sim, urn: string, asset: Asset): Promise<Pick<Asset, "readyAt" | "sha256" | "failure">> {
  const { sha256, head } = await sim.digestBlobs(asset.parts.map((_, index) => blobKey(urn, index)));
  const readyAt = sim.now() + sim.settings.processing_ms;
  return { readyAt, sha256, failure: failureIn(sim, asset.kind, head) };
}

/** PUT of an image with the bearer, or of one part of a video without. */
export async function receive(request: Request, url: URL, sim: Sim): Promise<Response> {
  const [, , encoded = "", index = ""] = url.pathname.split("/");
  const urn = decodeURIComponent(encoded);
  const asset = findAsset(sim, urn);
  const number = Number(index);
  const part = asset?.parts[number];
  if (!asset || !part) {
    return problem(404, "NOT_FOUND", "Unknown upload");
  }
  if (asset.expiresAt <= sim.now()) {
    return problem(400, "EXPIRED_UPLOAD_URL", "The upload URL has expired");
  }
  if (asset.kind === "image" && liveToken(sim, bearer(request) ?? "", "access")?.login !== asset.login) {
    return problem(401, "EMPTY_ACCESS_TOKEN", "Empty oauth2 access token");
  }
  const length = request.headers.get("content-length");
  if (length === null || !request.body) {
    return problem(411, "LENGTH_REQUIRED", "A Content-Length is required");
  }
  if (asset.kind === "video" && Number(length) !== part.last - part.first + 1) {
    return problem(400, "ILLEGAL_ARGUMENT", `Expected bytes ${part.first}-${part.last}`);
  }
  if (asset.readyAt !== null) {
    return problem(400, "ILLEGAL_ARGUMENT", "The upload is complete");
  }
  const fixed = new FixedLengthStream(Number(length));
  await Promise.all([request.body.pipeTo(fixed.writable), sim.blobs.put(blobKey(urn, number), fixed.readable)]);
  const outcome = asset.kind === "image" ? await processed(sim, urn, asset) : {};
  // Parts may arrive side by side, so the others are read again.
  const now = findAsset(sim, urn) ?? asset;
  const etag = `/ambry-videoei/${sim.secret("")}`;
  const parts = now.parts.map((one, at) => (at === number ? { ...one, etag } : one));
  save(sim, urn, { ...now, parts, ...outcome });
  return new Response(null, { status: 201, headers: { etag: `"${etag}"` } });
}

/** POST /rest/videos?action=finalizeUpload: every part, in order, by what its upload was answered with. */
export async function finalize(sim: Sim, session: Token, body: JsonObject): Promise<Response> {
  const { video, uploadToken, uploadedPartIds } = objectIn(body, "finalizeUploadRequest");
  const urn = typeof video === "string" ? video : "";
  const asset = findAsset(sim, urn);
  if (asset?.kind !== "video" || asset.login !== session.login) {
    return problem(400, "INVALID_VIDEO_ID", "Unknown video");
  }
  const etags = asset.parts.map((part) => part.etag);
  const fits = !etags.includes(null) && JSON.stringify(uploadedPartIds) === JSON.stringify(etags);
  if (uploadToken !== "" || !fits) {
    return problem(400, "ILLEGAL_ARGUMENT", "uploadedPartIds do not match the uploaded parts in order");
  }
  if (asset.readyAt === null) {
    save(sim, urn, { ...asset, ...(await processed(sim, urn, asset)) });
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

/** GET /rest/images/{urn} and /rest/videos/{urn}; a member's token may ask for videos alone. */
export function readAsset(sim: Sim, session: Token, kind: Asset["kind"], urn: string): Response {
  const asset = findAsset(sim, urn);
  if (asset?.kind !== kind || asset.login !== session.login) {
    return problem(404, "NOT_FOUND", "Not found");
  }
  if (kind === "image" && !session.scopes.includes("r_organization_social")) {
    return problem(403, "ACCESS_DENIED", "Accessing this image resource is forbidden");
  }
  const status = statusOf(asset, sim.now());
  return Response.json({
    id: urn,
    owner: asset.owner,
    status,
    ...(status === "PROCESSING_FAILED" && { processingFailureReason: asset.failure }),
  });
}
