import type { Config } from "#config.ts";
import { fromBase64, toBase64Url } from "#core/encoding.ts";
import type { ContentType } from "./types.ts";
import { readContentType } from "./content-types.ts";

/** What a signed address lets its holder do: the one file, one part of it, or putting the parts together. */
export type UploadSlot =
  | { readonly kind: "file" }
  | { readonly kind: "part"; readonly partNumber: number }
  | { readonly kind: "complete" };

export interface UploadGrant {
  readonly uploadId: string;
  readonly slot: UploadSlot;
  /** Exactly this many bytes belong here. */
  readonly sizeBytes: number;
  readonly contentType: ContentType;
  readonly expiresAt: number;
}

type Keys = Pick<Config, "origin" | "tokenKeys" | "tokenKeyId">;

const PURPOSE = new TextEncoder().encode("almanac upload address v1");

function pathOf({ uploadId, slot }: Pick<UploadGrant, "uploadId" | "slot">): string {
  const last = slot.kind === "part" ? `parts/${slot.partNumber}` : slot.kind;
  return `/media/uploads/${uploadId}/${last}`;
}

/** A key of its own from the operator's, so that a signature is never the answer to another question. */
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

function keysOf(config: Keys): Readonly<Record<string, string>> {
  return JSON.parse(config.tokenKeys) as Record<string, string>;
}

/** Path and parameters in their one spelling, which is what is signed. */
function wordsOf(grant: UploadGrant): { path: string; query: URLSearchParams; bytes: Uint8Array } {
  const path = pathOf(grant);
  const query = new URLSearchParams([
    ["expires", String(Math.floor(grant.expiresAt / 1000))],
    ["size", String(grant.sizeBytes)],
    ["type", grant.contentType],
  ]);
  return { path, query, bytes: new TextEncoder().encode(`${path}?${query.toString()}`) };
}

export async function signUpload(config: Keys, grant: UploadGrant): Promise<string> {
  const material = keysOf(config)[config.tokenKeyId];
  if (material === undefined) {
    throw new Error("TOKEN_KEY_ID names no key of TOKEN_KEYS");
  }
  const { path, query, bytes } = wordsOf(grant);
  const signature = await crypto.subtle.sign("HMAC", await signingKey(material), bytes);
  query.set("signature", toBase64Url(new Uint8Array(signature)));
  return `${config.origin}${path}?${query.toString()}`;
}

function bytesOfSignature(text: string): Uint8Array<ArrayBuffer> | null {
  return /^[A-Za-z0-9_-]{43}$/.test(text) ? fromBase64(text.replaceAll("-", "+").replaceAll("_", "/")) : null;
}

/**
 * What a signed address grants; null when the signature is not ours. Needs nothing but the address: junk costs no read of
 * the database. Whether it has expired is for the caller to say.
 */
export async function readGrant(
  config: Keys,
  address: { readonly uploadId: string; readonly slot: UploadSlot; readonly query: URLSearchParams },
): Promise<UploadGrant | null> {
  const signature = bytesOfSignature(address.query.get("signature") ?? "");
  const contentType = readContentType(address.query.get("type") ?? "");
  const sizeBytes = Number(address.query.get("size"));
  const expires = Number(address.query.get("expires"));
  if (!signature || !contentType || !Number.isSafeInteger(sizeBytes) || !Number.isSafeInteger(expires)) {
    return null;
  }
  const grant = { uploadId: address.uploadId, slot: address.slot, sizeBytes, contentType, expiresAt: expires * 1000 };
  const { bytes } = wordsOf(grant);
  for (const material of Object.values(keysOf(config))) {
    if (await crypto.subtle.verify("HMAC", await signingKey(material), signature, bytes)) {
      return grant;
    }
  }
  return null;
}
