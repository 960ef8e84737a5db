import { toHex } from "#core/encoding.ts";

/** Ties a form to this session and to exactly this request: another tab, another person or another scope has another seal. */
export async function formSeal(sessionToken: string, query: string): Promise<string> {
  const encoder = new TextEncoder();
  const key = await crypto.subtle.importKey(
    "raw",
    encoder.encode(sessionToken),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  return toHex(new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(query))));
}
