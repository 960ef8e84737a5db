import { fromBase64 } from "./encoding.ts";
import { parseTokenKeys, type TokenKeys } from "./token-keys.ts";

/** What a derived key is for. Each purpose has its own key, which reveals nothing about the other keys. */
export type KeyPurpose =
  | "confirmation token"
  | "known browser"
  | "refresh rotation"
  | "remembered credential"
  | "sealing"
  | "upload address";

interface KeyUse {
  readonly algorithm: SubtleCryptoImportKeyAlgorithm;
  readonly usages: readonly string[];
}

const SIGNING: KeyUse = { algorithm: { name: "HMAC", hash: "SHA-256", length: 256 }, usages: ["sign", "verify"] };

/**
 * Derives a key for one purpose from a secret (HKDF, RFC 5869). No secret is used as a key itself, so that a key has
 * one purpose.
 */
export async function deriveKey(
  material: Uint8Array,
  purpose: KeyPurpose,
  { algorithm, usages }: KeyUse,
): Promise<CryptoKey> {
  const raw = await crypto.subtle.importKey("raw", material, "HKDF", false, ["deriveKey"]);
  return await crypto.subtle.deriveKey(
    {
      name: "HKDF",
      hash: "SHA-256",
      salt: new Uint8Array(32),
      info: new TextEncoder().encode(`almanac ${purpose} v1`),
    },
    raw,
    algorithm,
    false,
    [...usages],
  );
}

const deriveSigningKey = (material: string, purpose: KeyPurpose) => deriveKey(fromBase64(material), purpose, SIGNING);

function parseKeys(config: TokenKeys): Readonly<Record<string, string>> {
  const keys = parseTokenKeys(config);
  if (keys === null) {
    throw new Error("TOKEN_KEYS is no JSON object");
  }
  return keys as Readonly<Record<string, string>>;
}

export async function signFor(config: TokenKeys, purpose: KeyPurpose, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const material = parseKeys(config)[config.tokenKeyId];
  if (material === undefined) {
    throw new Error("TOKEN_KEY_ID names no key of TOKEN_KEYS");
  }
  const key = await deriveSigningKey(material, purpose);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text)));
}

/** Whether any of the service's keys made this signature. */
export async function isSignedFor(
  config: TokenKeys,
  purpose: KeyPurpose,
  signed: { readonly text: string; readonly signature: Uint8Array<ArrayBuffer> },
): Promise<boolean> {
  for (const material of Object.values(parseKeys(config))) {
    const key = await deriveSigningKey(material, purpose);
    if (await crypto.subtle.verify("HMAC", key, signed.signature, new TextEncoder().encode(signed.text))) {
      return true;
    }
  }
  return false;
}
