import { fromBase64Url, toBase64Url } from "#core/encoding.ts";
import { isJsonObject, type JsonObject } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";

/* Compact JWTs signed with ES256, which WebCrypto verifies. */

export interface ParsedJwt {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly signedBytes: Uint8Array<ArrayBuffer>;
  readonly signature: Uint8Array<ArrayBuffer>;
}

function decodePart(part: string): Record<string, unknown> | null {
  const value: unknown = JSON.parse(
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(fromBase64Url(part)),
  );
  return isJsonObject(value) ? value : null;
}

/** Parses a compact JWT. Null for other text. */
export function parseJwt(text: string): ParsedJwt | null {
  const [first = "", second = "", third = "", ...rest] = text.split(".");
  if (rest.length > 0 || ![first, second, third].every((part) => /^[\w-]+$/.test(part))) {
    return null;
  }
  try {
    const [header, payload] = [decodePart(first), decodePart(second)];
    const signedBytes = Uint8Array.from(new TextEncoder().encode(`${first}.${second}`));
    return header && payload ? { header, payload, signedBytes, signature: fromBase64Url(third) } : null;
  } catch {
    return null;
  }
}

export type EcPublicKey = {
  readonly kty: "EC";
  readonly crv: "P-256";
  readonly x: string;
  readonly y: string;
};

/** The public part of a P-256 key. Null for any other key, and for one with its private part. */
export function toPublicKey(value: unknown): EcPublicKey | null {
  if (!isJsonObject(value) || "d" in value) {
    return null;
  }
  const { kty, crv, x, y } = value;
  const isP256 = kty === "EC" && crv === "P-256" && typeof x === "string" && typeof y === "string";
  return isP256 ? { kty, crv, x, y } : null;
}

export async function isSignedBy(jwt: ParsedJwt, key: EcPublicKey): Promise<boolean> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  try {
    const imported = await crypto.subtle.importKey("jwk", { ...key }, algorithm, false, ["verify"]);
    return await crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, imported, jwt.signature, jwt.signedBytes);
  } catch {
    return false;
  }
}

export async function s256(text: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}

/** The thumbprint of a key (RFC 7638): its members in alphabetical order. */
export const thumbprint = ({ crv, kty, x, y }: EcPublicKey): Promise<string> =>
  s256(JSON.stringify({ crv, kty, x, y }));

/** Makes a text in the form of a JWT. Its third part is the secret under which the simulator stores the token. */
export function mintToken(sim: SimulatorContext, typ: string, payload: JsonObject): { token: string; secret: string } {
  const encode = (part: JsonObject): string => toBase64Url(new TextEncoder().encode(JSON.stringify(part)));
  const secret = sim.newSecret("");
  return { token: `${encode({ typ, alg: "ES256" })}.${encode(payload)}.${secret}`, secret };
}

/** The third part of a token, its secret. Null if the token does not have three parts. */
export function secretOfToken(token: string): string | null {
  const parts = token.split(".");
  return parts.length === 3 ? (parts[2] ?? null) : null;
}

const PURGED_AT_ONCE = 5;

/**
 * Records the use of a name. True for the first use within its lifetime. Each call also deletes a few expired names.
 */
export function takeOnce(sim: SimulatorContext, name: string, lifetimeSeconds: number): boolean {
  const now = sim.now();
  const key = `once:${name}`;
  if ((sim.store.get<number>(key) ?? 0) > now) {
    return false;
  }
  for (const [oldKey, expiresAt] of sim.store.list<number>("once:", { limit: PURGED_AT_ONCE })) {
    if (expiresAt <= now) {
      sim.store.delete(oldKey);
    }
  }
  sim.store.put(key, now + lifetimeSeconds * 1000);
  return true;
}
