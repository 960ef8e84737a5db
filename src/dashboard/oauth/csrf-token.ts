import { toHex } from "#core/encoding.ts";

/** Binds a form to this session and to exactly this query: another session or another scope has another token. */
export async function csrfToken(sessionToken: string, query: string): Promise<string> {
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
