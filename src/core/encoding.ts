import { Buffer } from "node:buffer";

// The Node.js that runs the operator's scripts lacks the methods of Uint8Array for base64, so take Hono's functions.
export { decodeBase64 as fromBase64, decodeBase64Url as fromBase64Url } from "hono/utils/encode";

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

export function toHex(bytes: Uint8Array): string {
  return bufferOf(bytes).toString("hex");
}

export function toBase64(bytes: Uint8Array): string {
  return bufferOf(bytes).toString("base64");
}

export function toBase64Url(bytes: Uint8Array): string {
  return bufferOf(bytes).toString("base64url");
}

const encoder = new TextEncoder();

/** SHA-256 in lower-case hexadecimal, of a text (as UTF-8) or of bytes. */
export async function sha256Hex(input: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof input === "string" ? encoder.encode(input) : input;
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** SHA-256 of a text as base64url, as the S256 challenge of PKCE needs it (RFC 7636, 4.2). */
export async function sha256Base64Url(text: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text))));
}

export async function hmacSha256Hex(secret: string, text: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  return toHex(new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text))));
}
