import { SECOND } from "#core/clock.ts";
import { fromBase64, toBase64 } from "#core/encoding.ts";

const SECRET_PREFIX = "whsec_";

async function signatureOf(secret: string, text: string): Promise<string> {
  const bytes = fromBase64(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret);
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signature = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text));
  return `v1,${toBase64(new Uint8Array(signature))}`;
}

/** The headers of Standard Webhooks, with a signature for each secret: https://www.standardwebhooks.com */
export async function signatureHeaders(
  message: { readonly id: string; readonly body: string },
  secrets: readonly string[],
  now: number,
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(now / SECOND));
  const text = `${message.id}.${timestamp}.${message.body}`;
  const signatures = await Promise.all(secrets.map((secret) => signatureOf(secret, text)));
  return {
    "webhook-id": message.id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}
