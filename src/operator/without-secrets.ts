import type { Env } from "#config.ts";
import { isJsonObject } from "#core/json.ts";

const SECRET_NAME = /(?:SECRET(?:_NEXT)?|_KEYS?|_CODE)$/;
/** Shorter texts could appear in any sentence. */
const MIN_LENGTH = 6;

function textsOf(value: string): readonly string[] {
  try {
    const parsed: unknown = JSON.parse(value);
    return isJsonObject(parsed) ? Object.values(parsed).filter((text) => typeof text === "string") : [];
  } catch {
    return [];
  }
}

/** Every secret text of the configuration, also inside JSON. */
function secretTexts(env: Env): readonly string[] {
  return Object.entries(env)
    .flatMap(([name, value]) => (typeof value === "string" && SECRET_NAME.test(name) ? [value, ...textsOf(value)] : []))
    .filter(({ length }) => length >= MIN_LENGTH);
}

/** The value as JSON without any secret text of the configuration, even if a platform repeated one. */
export function toJsonWithoutSecrets(env: Env, value: object): string {
  const secrets = secretTexts(env);
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === "string" ? secrets.reduce((text, secret) => text.replaceAll(secret, "…"), member) : member,
  );
}
