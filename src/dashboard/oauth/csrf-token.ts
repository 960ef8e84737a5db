import { toHex } from "#core/encoding.ts";

/**
 * Makes a token that binds the consent form to this session and query. Another session, or a query with another scope,
 * has another token.
 */
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
