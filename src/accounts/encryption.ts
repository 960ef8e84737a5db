import { fromBase64, toBase64Url } from "#core/encoding.ts";
import type { Ids } from "#core/ids.ts";
import type { Config } from "#config.ts";

/*
 * AES-256-GCM with the key's name in front: `v1.<key id>.<iv>.<ciphertext>`, all base64url. The purpose is authenticated
 * with it, so that a sealed text copied into another row does not open. Old keys open, the named one seals.
 */

const VERSION = "v1";
const IV_BYTES = 12;
const KEY_BYTES = 32;

/** Says which key or form was wrong, never what was inside. */
export class SealingError extends Error {
  override readonly name = "SealingError";
  readonly code: "keys_invalid" | "key_unknown" | "damaged";
  constructor(code: SealingError["code"]) {
    super(code);
    this.code = code;
  }
}

type TokenKeys = Pick<Config, "tokenKeys" | "tokenKeyId">;

function keyTexts(config: TokenKeys): Readonly<Record<string, unknown>> {
  try {
    const keys: unknown = JSON.parse(config.tokenKeys);
    if (typeof keys === "object" && keys !== null) {
      return keys as Record<string, unknown>;
    }
  } catch {
    // Falls through: what could not be read must not be quoted.
  }
  throw new SealingError("keys_invalid");
}

async function importKey(config: TokenKeys, keyId: string): Promise<CryptoKey> {
  const keys = keyTexts(config);
  const text = Object.hasOwn(keys, keyId) ? keys[keyId] : undefined;
  if (typeof text !== "string") {
    throw new SealingError("key_unknown");
  }
  const bytes = decode(text, "keys_invalid");
  if (bytes.length !== KEY_BYTES) {
    throw new SealingError("keys_invalid");
  }
  return await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
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
  const key = await importKey(config, config.tokenKeyId);
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
  const key = await importKey(config, keyId);
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

/** Whether it was sealed with a key that is being retired. */
export function isSealedWithOldKey(config: TokenKeys, sealed: string): boolean {
  return sealed.split(".")[1] !== config.tokenKeyId;
}
