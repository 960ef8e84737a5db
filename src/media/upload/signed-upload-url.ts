import type { Config } from "#config.ts";
import { fromBase64, toBase64Url } from "#core/encoding.ts";
import type { ReceivedType } from "#media/types.ts";
import { parseContentType } from "#media/content-types.ts";

/** A signed URL allows one action: to send the whole file, to send one part, or to complete a multipart upload. */
export type UploadSlot =
  | { readonly kind: "file" }
  | { readonly kind: "part"; readonly partNumber: number }
  | { readonly kind: "complete" };

export interface UploadGrant {
  readonly uploadId: string;
  readonly slot: UploadSlot;
  /** The request must send exactly this many bytes. */
  readonly sizeBytes: number;
  readonly contentType: ReceivedType;
  readonly expiresAt: number;
}

type SigningConfig = Pick<Config, "origin" | "tokenKeys" | "tokenKeyId">;

const PURPOSE = new TextEncoder().encode("almanac upload address v1");

function pathOf({ uploadId, slot }: Pick<UploadGrant, "uploadId" | "slot">): string {
  const last = slot.kind === "part" ? `parts/${slot.partNumber}` : slot.kind;
  return `/media/uploads/${uploadId}/${last}`;
}

/** The key serves only this purpose, so that a signature cannot be used anywhere else. */
async function signingKey(material: string): Promise<CryptoKey> {
  const raw = await crypto.subtle.importKey("raw", fromBase64(material), "HKDF", false, ["deriveKey"]);
  return crypto.subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(32), info: PURPOSE },
    raw,
    { name: "HMAC", hash: "SHA-256", length: 256 },
    false,
    ["sign", "verify"],
  );
}

function parseKeys(config: SigningConfig): Readonly<Record<string, string>> {
  return JSON.parse(config.tokenKeys) as Record<string, string>;
}

/** Path and query in canonical form; the signature covers these bytes. */
function canonicalUrl(grant: UploadGrant): { path: string; query: URLSearchParams; bytes: Uint8Array } {
  const path = pathOf(grant);
  const query = new URLSearchParams([
    ["expires", String(Math.floor(grant.expiresAt / 1000))],
    ["size", String(grant.sizeBytes)],
    ["type", grant.contentType],
  ]);
  return { path, query, bytes: new TextEncoder().encode(`${path}?${query.toString()}`) };
}

export async function signUploadUrl(config: SigningConfig, grant: UploadGrant): Promise<string> {
  const material = parseKeys(config)[config.tokenKeyId];
  if (material === undefined) {
    throw new Error("TOKEN_KEY_ID names no key of TOKEN_KEYS");
  }
  const { path, query, bytes } = canonicalUrl(grant);
  const signature = await crypto.subtle.sign("HMAC", await signingKey(material), bytes);
  query.set("signature", toBase64Url(new Uint8Array(signature)));
  return `${config.origin}${path}?${query.toString()}`;
}

function decodeSignature(text: string): Uint8Array<ArrayBuffer> | null {
  return /^[A-Za-z0-9_-]{43}$/.test(text) ? fromBase64(text.replaceAll("-", "+").replaceAll("_", "/")) : null;
}

/**
 * The action that a signed URL allows; null when the signature is not valid. It does not read the database, so requests with invalid URLs
 * are cheap. The caller checks whether the URL has expired.
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
  const { bytes } = canonicalUrl(grant);
  for (const material of Object.values(parseKeys(config))) {
    if (await crypto.subtle.verify("HMAC", await signingKey(material), signature, bytes)) {
      return grant;
    }
  }
  return null;
}
