import { z } from "@hono/zod-openapi";
import { toBase64Url } from "#core/encoding.ts";
import type { JsonObject } from "#core/json.ts";

/** A private key of ES256 as JWK. */
export const SigningKey = z.object({
  kty: z.literal("EC"),
  crv: z.literal("P-256"),
  x: z.string().min(1),
  y: z.string().min(1),
  d: z.string().min(1),
});
export type SigningKey = z.infer<typeof SigningKey>;

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256" } as const;

export async function createSigningKey(): Promise<SigningKey> {
  const pair = (await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"])) as CryptoKeyPair;
  return SigningKey.parse(await crypto.subtle.exportKey("jwk", pair.privateKey));
}

export function publicJwk({ kty, crv, x, y }: SigningKey) {
  return { kty, crv, x, y };
}

const encodePart = (part: JsonObject): string => toBase64Url(new TextEncoder().encode(JSON.stringify(part)));

/** A compact JWS; WebCrypto's signature has the form that ES256 demands. */
export async function signJwt(key: SigningKey, header: JsonObject, claims: JsonObject): Promise<string> {
  const { kty, crv, x, y, d } = key;
  const cryptoKey = await crypto.subtle.importKey("jwk", { kty, crv, x, y, d }, ALGORITHM, false, ["sign"]);
  const content = `${encodePart({ ...header, alg: "ES256" })}.${encodePart(claims)}`;
  const signature = await crypto.subtle.sign(
    { name: "ECDSA", hash: "SHA-256" },
    cryptoKey,
    new TextEncoder().encode(content),
  );
  return `${content}.${toBase64Url(new Uint8Array(signature))}`;
}
