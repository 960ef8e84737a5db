/** What a value must look like, and how to say it. */
export interface Shape {
  readonly words: string;
  accepts(value: string): boolean;
}

const shape = (words: string, accepts: (value: string) => boolean): Shape => ({ words, accepts });

/** A line break in a value would end its line in the configuration. */
// eslint-disable-next-line no-control-regex -- control characters are what this is about
const CONTROL = /[\u0000-\u001f\u007f]/;
const isLine = (value: string): boolean => value.trim() !== "" && !CONTROL.test(value);

function parseObject(value: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

const KEY_BYTES = 32;
const KEY_ID = /^[A-Za-z0-9_-]{1,32}$/;
const isKey = (value: unknown): boolean =>
  typeof value === "string" &&
  /^[A-Za-z0-9+/_-]+={0,2}$/.test(value) &&
  Buffer.from(value, "base64").length === KEY_BYTES;

export const text = shape("one line of text", isLine);
export const boolean = shape("true or false", (value) => value === "true" || value === "false");
export const wholeNumber = shape("a whole number", (value) => /^\d{1,15}$/.test(value));
export const email = shape("an e-mail address", (value) => /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/.test(value));
export const domain = shape("a host name like posts.example.com, without https:// and without a path", (value) =>
  /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/.test(value),
);
export const workerName = shape("at most 50 lower-case letters, digits and dashes", (value) =>
  /^[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])?$/.test(value),
);
export const httpsAddress = shape(
  "an address that begins with https://",
  (value) => isLine(value) && URL.canParse(value) && new URL(value).protocol === "https:",
);
export const jsonObject = shape("a JSON object on one line", (value) => isLine(value) && parseObject(value) !== null);
export const setupCode = shape("at least 20 letters, digits, dashes and underscores", (value) =>
  /^[A-Za-z0-9_-]{20,200}$/.test(value),
);
export const operatorKey = shape("at least 32 letters, digits, dashes and underscores", (value) =>
  /^[A-Za-z0-9_-]{32,200}$/.test(value),
);
export const signingSecret = shape(
  "`whsec_` and 24 to 64 bytes in base64, like whsec_<openssl rand -base64 32>",
  (value) => {
    const [, bytes = ""] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(value) ?? [];
    const { length } = Buffer.from(bytes, "base64");
    return length >= 24 && length <= 64;
  },
);
export const tokenKeys = shape(
  'a JSON object of key id to 32 bytes in base64, like {"k1":"<openssl rand -base64 32>"}',
  (value) => {
    const keys = Object.entries(parseObject(value) ?? {});
    return keys.length > 0 && keys.every(([id, key]) => KEY_ID.test(id) && isKey(key));
  },
);
export const privateKey = shape("a P-256 private key as JWK on one line", (value) => {
  const key = parseObject(value);
  return key !== null && key["kty"] === "EC" && key["crv"] === "P-256" && ["x", "y", "d"].every((name) => name in key);
});
export const oneOf = (...words: readonly string[]): Shape =>
  shape(words.length === 1 ? `${words[0]} or left out` : `one of ${words.join(", ")}`, (value) =>
    words.includes(value),
  );
