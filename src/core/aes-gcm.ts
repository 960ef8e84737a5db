import { deriveKey } from "./derived-key.ts";
import { fromBase64, toBase64Url } from "./encoding.ts";
import type { Ids } from "./ids.ts";
import { parseTokenKeys, type TokenKeys } from "./token-keys.ts";

/* Encrypts texts with AES-256-GCM as `v1.<key id>.<iv>.<ciphertext>`, all base64url. The purpose is additional
   authenticated data, so nobody can decrypt a text that was copied into another row. The key that `tokenKeyId` names
   encrypts; every key of `tokenKeys` decrypts. The AES keys are derived from these keys, so that each AES key has
   only this use. */

const VERSION = "v1";
const IV_BYTES = 12;
const KEY_BYTES = 32;
const ENCRYPTION = { algorithm: { name: "AES-GCM", length: 256 }, usages: ["encrypt", "decrypt"] } as const;

/** Thrown if a text cannot be encrypted or decrypted; `code` says why. It never contains the plaintext or a key. */
export class SealingError extends Error {
  override readonly name = "SealingError";
  readonly code: "keys_invalid" | "key_unknown" | "damaged";
  constructor(code: SealingError["code"]) {
    super(code);
    this.code = code;
  }
}

function parseKeys(config: TokenKeys): Readonly<Record<string, unknown>> {
  const keys = parseTokenKeys(config);
  if (keys === null) {
    throw new SealingError("keys_invalid");
  }
  return keys;
}

export function keyIdsOf(config: TokenKeys): string[] {
  return Object.keys(parseKeys(config));
}

async function sealingKey(config: TokenKeys, keyId: string): Promise<CryptoKey> {
  const keys = parseKeys(config);
  const text = Object.hasOwn(keys, keyId) ? keys[keyId] : undefined;
  if (typeof text !== "string") {
    throw new SealingError("key_unknown");
  }
  const bytes = decode(text, "keys_invalid");
  if (bytes.length !== KEY_BYTES) {
    throw new SealingError("keys_invalid");
  }
  return await deriveKey(bytes, "sealing", ENCRYPTION);
}

function decode(text: string, code: SealingError["code"]): Uint8Array<ArrayBuffer> {
  try {
    return fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    throw new SealingError(code);
  }
}

const purposeBytes = (purpose: string) => new TextEncoder().encode(purpose);

export async function seal(
  config: TokenKeys,
  ids: Pick<Ids, "random">,
  purpose: string,
  text: string,
): Promise<string> {
  if (!/^[\w-]{1,64}$/.test(config.tokenKeyId)) {
    throw new SealingError("keys_invalid");
  }
  const key = await sealingKey(config, config.tokenKeyId);
  const iv = ids.random(IV_BYTES);
  const sealed = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv, additionalData: purposeBytes(purpose) },
    key,
    new TextEncoder().encode(text),
  );
  return [VERSION, config.tokenKeyId, toBase64Url(iv), toBase64Url(new Uint8Array(sealed))].join(".");
}

export async function unseal(config: TokenKeys, purpose: string, sealed: string): Promise<string> {
  const [version, keyId, iv, ciphertext, ...rest] = sealed.split(".");
  if (version !== VERSION || !keyId || !iv || !ciphertext || rest.length > 0) {
    throw new SealingError("damaged");
  }
  const key = await sealingKey(config, keyId);
  try {
    const opened = await crypto.subtle.decrypt(
      { name: "AES-GCM", iv: decode(iv, "damaged"), additionalData: purposeBytes(purpose) },
      key,
      decode(ciphertext, "damaged"),
    );
    return new TextDecoder().decode(opened);
  } catch {
    throw new SealingError("damaged");
  }
}

/** Whether a text was encrypted with an older key, so that it should be encrypted again. */
export function isSealedWithOldKey(config: TokenKeys, sealed: string): boolean {
  return sealed.split(".")[1] !== config.tokenKeyId;
}
