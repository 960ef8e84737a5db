import { z } from "@hono/zod-openapi";
import { fromBase64Url } from "#core/encoding.ts";
import type { AppCredentials, SignedRequest } from "./contract.ts";

/* Reads Meta's `signed_request`: signature and content in base64url, with a dot between them ("Parsing the signed
   request" in Meta's guide to login on existing systems). */

const MAX_LENGTH = 10 * 1024;

const Content = z.object({
  algorithm: z.literal("HMAC-SHA256"),
  // Older apps get the user's id as a number. No id exceeds the safe integers.
  user_id: z.union([z.string().min(1).max(64), z.int().positive().transform(String)]),
  issued_at: z.int().positive(),
});

function decode(part: string): Uint8Array<ArrayBuffer> | null {
  try {
    return fromBase64Url(part);
  } catch {
    return null;
  }
}

function parseContent(bytes: Uint8Array): z.infer<typeof Content> | null {
  try {
    return (
      Content.safeParse(JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes))).data ??
      null
    );
  } catch {
    return null;
  }
}

async function isSignedWith(secret: string, signature: Uint8Array<ArrayBuffer>, text: string): Promise<boolean> {
  const key = await crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["verify"],
  );
  // `verify` compares in constant time, so that its duration reveals nothing.
  return await crypto.subtle.verify("HMAC", key, signature, new TextEncoder().encode(text));
}

/**
 * Reads a signed request. Null if neither the app's secret nor the next one signed it, if it uses another algorithm, or
 * if it names no person or time.
 */
export async function readSignedRequest(app: AppCredentials, signedRequest: string): Promise<SignedRequest | null> {
  const [signaturePart = "", contentPart = "", ...rest] = signedRequest.split(".");
  const signature = decode(signaturePart);
  const content = decode(contentPart);
  if (signedRequest.length > MAX_LENGTH || rest.length > 0 || app.clientSecret === "" || !signature || !content) {
    return null;
  }
  const secrets = [app.clientSecret, ...(app.nextClientSecret === undefined ? [] : [app.nextClientSecret])];
  const results = await Promise.all(secrets.map(async (secret) => await isSignedWith(secret, signature, contentPart)));
  const parsed = results.includes(true) ? parseContent(content) : null;
  return parsed && { externalId: parsed.user_id, issuedAt: parsed.issued_at * 1000 };
}
