import type { Env } from "#config.ts";
import { isJsonObject } from "#core/json.ts";

const SECRET_NAME = /(?:SECRET(?:_NEXT)?|_KEYS?|_CODE)$/;
/** Texts shorter than this are not treated as secrets, because they could occur in any sentence. */
const MIN_LENGTH = 6;

function textsOf(value: string): readonly string[] {
  try {
    const parsed: unknown = JSON.parse(value);
    return isJsonObject(parsed) ? Object.values(parsed).filter((text) => typeof text === "string") : [];
  } catch {
    return [];
  }
}

/** Every secret text of the configuration, including those inside JSON settings. */
function secretTexts(env: Env): readonly string[] {
  return Object.entries(env)
    .flatMap(([name, value]) => (typeof value === "string" && SECRET_NAME.test(name) ? [value, ...textsOf(value)] : []))
    .filter(({ length }) => length >= MIN_LENGTH);
}

/**
 * Writes a value as JSON and removes every secret of the configuration from it. A platform's answer could repeat one.
 */
export function toJsonWithoutSecrets(env: Env, value: object): string {
  const secrets = secretTexts(env);
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === "string" ? secrets.reduce((text, secret) => text.replaceAll(secret, "…"), member) : member,
  );
}
