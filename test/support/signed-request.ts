import { toBase64Url } from "#core/encoding.ts";

const encode = (text: string) => toBase64Url(new TextEncoder().encode(text));

/** A `signed_request` as Meta builds it: signature and content as base64url, joined by a dot. */
export async function signedRequest(content: unknown, secret: string, hash = "SHA-256"): Promise<string> {
  const part = encode(typeof content === "string" ? content : JSON.stringify(content));
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(secret), { name: "HMAC", hash }, false, [
    "sign",
  ]);
  const signature = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(part));
  return `${toBase64Url(new Uint8Array(signature))}.${part}`;
}
