import type { Config } from "#config.ts";
import { isSignedFor, signFor } from "#core/derived-key.ts";
import { fromBase64, toBase64Url } from "#core/encoding.ts";
import type { ReceivedType } from "#media/types.ts";
import { parseContentType } from "#media/content-types.ts";

/** What a signed URL allows: to send the whole file, to send one part, or to complete a multipart upload. */
export type UploadSlot =
  | { readonly kind: "file" }
  | { readonly kind: "part"; readonly partNumber: number }
  | { readonly kind: "complete" };

export interface UploadGrant {
  readonly uploadId: string;
  readonly slot: UploadSlot;
  /** How many bytes the request must send. */
  readonly sizeBytes: number;
  readonly contentType: ReceivedType;
  readonly expiresAt: number;
}

type SigningConfig = Pick<Config, "origin" | "tokenKeys" | "tokenKeyId">;

function pathOf({ uploadId, slot }: Pick<UploadGrant, "uploadId" | "slot">): string {
  const last = slot.kind === "part" ? `parts/${slot.partNumber}` : slot.kind;
  return `/media/uploads/${uploadId}/${last}`;
}

/** The canonical path and query of an upload URL. The signature covers this text. */
function canonicalUrl(grant: UploadGrant): { path: string; query: URLSearchParams; text: string } {
  const path = pathOf(grant);
  const query = new URLSearchParams([
    ["expires", String(Math.floor(grant.expiresAt / 1000))],
    ["size", String(grant.sizeBytes)],
    ["type", grant.contentType],
  ]);
  return { path, query, text: `${path}?${query.toString()}` };
}

export async function signUploadUrl(config: SigningConfig, grant: UploadGrant): Promise<string> {
  const { path, query, text } = canonicalUrl(grant);
  query.set("signature", toBase64Url(await signFor(config, "upload address", text)));
  return `${config.origin}${path}?${query.toString()}`;
}

function decodeSignature(text: string): Uint8Array<ArrayBuffer> | null {
  return /^[A-Za-z0-9_-]{43}$/.test(text) ? fromBase64(text.replaceAll("-", "+").replaceAll("_", "/")) : null;
}

/**
 * Verifies a signed URL and returns the action that it allows. Null if the signature is invalid. It does not read the
 * database, so requests with invalid URLs are cheap. The caller checks the expiry.
 */
export async function verifyUploadUrl(
  config: SigningConfig,
  url: { readonly uploadId: string; readonly slot: UploadSlot; readonly query: URLSearchParams },
): Promise<UploadGrant | null> {
  const signature = decodeSignature(url.query.get("signature") ?? "");
  const contentType = parseContentType(url.query.get("type") ?? "");
  const sizeBytes = Number(url.query.get("size"));
  const expires = Number(url.query.get("expires"));
  if (!signature || !contentType || !Number.isSafeInteger(sizeBytes) || !Number.isSafeInteger(expires)) {
    return null;
  }
  const grant = { uploadId: url.uploadId, slot: url.slot, sizeBytes, contentType, expiresAt: expires * 1000 };
  const { text } = canonicalUrl(grant);
  return (await isSignedFor(config, "upload address", { text, signature })) ? grant : null;
}
