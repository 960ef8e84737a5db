import type { Config } from "#config.ts";
import { fromBase64 } from "#core/encoding.ts";
import { isJsonObject } from "#core/json.ts";
import type { KeyFact } from "./facts.ts";

const KEY_BYTES = 32;

function isKey(value: unknown): boolean {
  try {
    return (
      typeof value === "string" && fromBase64(value.replaceAll("-", "+").replaceAll("_", "/")).length === KEY_BYTES
    );
  } catch {
    return false;
  }
}

/** The ids of the configured keys, and whether each is valid. Null if TOKEN_KEYS is not a JSON object. */
export function readTokenKeys({ tokenKeys }: Pick<Config, "tokenKeys">): readonly KeyFact[] | null {
  try {
    const keys: unknown = JSON.parse(tokenKeys);
    return isJsonObject(keys) ? Object.entries(keys).map(([id, key]) => ({ id, isRight: isKey(key) })) : null;
  } catch {
    // Do not pass the parser's error on, because its message would contain the keys.
    return null;
  }
}
