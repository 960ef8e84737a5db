import type { JsonObject } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { inspectMedia } from "#sandbox/inspect-media.ts";
import { type Caller, missingPermission } from "./authorization.ts";
import { blobCid } from "./identifiers.ts";
import { isLenient } from "./leniency.ts";
import type { BlobReference } from "./post-record.ts";
import { invalidXrpc, payloadTooLarge, xrpcError } from "./responses.ts";
import { blobPermission } from "./scopes.ts";
import type { Pds } from "./test-users.ts";

/* Files (blobs) of an account (section 3.4, rule 22; pds actor-store/blob/transactor.ts). */

const LIFETIME_SECONDS = 3600;

export type StoredBlob = {
  readonly mimeType: string;
  readonly size: number;
  readonly sha256: string;
  readonly storedAt: number;
  /** Whether a record names the blob. Blobs that no record names are deleted after an hour. */
  readonly referenced: boolean;
};

const blobKey = (did: string, cid: string): string => `blob:${did}:${cid}`;

export function findBlob(sim: SimulatorContext, did: string, cid: string): StoredBlob | undefined {
  const blob = sim.store.get<StoredBlob>(blobKey(did, cid));
  const lifetimeMs = Number(sim.settings.extra["blob_lifetime_s"] ?? LIFETIME_SECONDS) * 1000;
  return blob && (blob.referenced || blob.storedAt + lifetimeMs > sim.now()) ? blob : undefined;
}

/** Stores a blob. Storing the same bytes again is harmless, because they have the same CID. */
export function storeBlob(
  sim: SimulatorContext,
  did: string,
  { sha256, size, mimeType }: Pick<StoredBlob, "sha256" | "size" | "mimeType">,
): JsonObject {
  const cid = blobCid(sha256);
  const referenced = findBlob(sim, did, cid)?.referenced ?? false;
  const blob: StoredBlob = { mimeType, size, sha256, storedAt: sim.now(), referenced };
  sim.store.put(blobKey(did, cid), blob);
  return blobJson(cid, blob);
}

export const blobJson = (cid: string, { mimeType, size }: Pick<StoredBlob, "mimeType" | "size">): JsonObject => ({
  $type: "blob",
  ref: { $link: cid },
  mimeType,
  size,
});

export function keepBlobs(sim: SimulatorContext, did: string, references: readonly BlobReference[]): void {
  for (const { cid } of references) {
    const blob = sim.store.get<StoredBlob>(blobKey(did, cid));
    if (blob) {
      sim.store.put(blobKey(did, cid), { ...blob, referenced: true });
    }
  }
}

/** The problem with the blobs that a record names. Each must exist in the account exactly as named. */
export function findBlobProblem(
  sim: SimulatorContext,
  did: string,
  references: readonly BlobReference[],
): Response | null {
  for (const { cid, mimeType, size } of references) {
    const blob = findBlob(sim, did, cid);
    if (!blob) {
      return xrpcError(400, "BlobNotFound", `Could not find blob: ${cid}`);
    }
    if (blob.mimeType !== mimeType) {
      const message = `Referenced Mimetype does not match stored blob. Expected: ${blob.mimeType}, Got: ${mimeType}`;
      return xrpcError(400, "InvalidMimeType", message);
    }
    if (blob.size !== size) {
      const message = `Referenced size does not match stored blob. Expected: ${blob.size}, Got: ${size}`;
      return xrpcError(400, "InvalidSize", message);
    }
  }
  return null;
}

/**
 * The content type that the bytes show. A real PDS believes the header for unknown bytes, but here media must be media.
 */
function typeOfBytes(sim: SimulatorContext, head: Uint8Array, contentType: string): string {
  const { type } = inspectMedia(head);
  if (type !== "unknown") {
    return type;
  }
  const isMedia = /^(?:image|video)\//.test(contentType);
  return isMedia && !isLenient(sim, "unknown_bytes") ? "application/octet-stream" : contentType;
}

export function blobLimitBytes(sim: SimulatorContext, pds: Pds): number {
  return Number(sim.settings.extra["blob_limit_bytes"] ?? pds.blobLimitBytes);
}

/** Handles `POST com.atproto.repo.uploadBlob`. */
export async function uploadBlob(request: Request, sim: SimulatorContext, pds: Pds, caller: Caller): Promise<Response> {
  const contentType = (request.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const limit = blobLimitBytes(sim, pds);
  const declared = Number(request.headers.get("content-length") ?? Number.NaN);
  const refusal = missingPermission(caller, blobPermission(contentType));
  if (refusal) {
    await request.body?.cancel();
    return refusal;
  }
  if (declared > limit) {
    await request.body?.cancel();
    return payloadTooLarge();
  }
  if (!request.body) {
    return invalidXrpc("A request body is expected but none was provided");
  }
  const { sha256, size, head } = await sim.digest(request.body);
  if (size > limit) {
    return payloadTooLarge();
  }
  if (size !== declared) {
    return invalidXrpc("The body does not have the length of Content-Length");
  }
  const mimeType = typeOfBytes(sim, head, contentType);
  return Response.json({ blob: storeBlob(sim, caller.user.did, { sha256, size, mimeType }) });
}
