import { isJsonObject, type JsonValue } from "#core/json.ts";
import { CID } from "./identifiers.ts";
import { matchesMimeType } from "./scopes.ts";
import { DID } from "./test-users.ts";

/* Checks of lexicon types, with the messages of packages/lex/lex-schema (rules 17 and 18). */

interface CheckOptions {
  /** Whether members and union types outside the lexicon are accepted, as on a real PDS. */
  readonly allowUnknown: boolean;
}

/** Checks a value. Returns its problem with its path, or null if it is valid. */
export type Check = (value: JsonValue | undefined, path: string, options: CheckOptions) => string | null;

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
const countGraphemes = (text: string): number => [...segmenter.segment(text)].length;
const countBytes = (text: string): number => new TextEncoder().encode(text).byteLength;

function typeName(value: JsonValue | undefined): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

const wrongType = (expected: string, value: JsonValue | undefined, path: string): string =>
  `Expected ${expected} value type (got ${typeName(value)}) at ${path}`;

/** The value if it is a text; otherwise an empty text. */
export const toText = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

const DATETIME = /^\d{4}-(?<month>\d{2})-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,20})?(?:Z|[+-]\d{2}:\d{2})$/;
const LANGUAGE = /^(?:[a-z]{2,3}(?:-[A-Za-z0-9]{1,8})*|i(?:-[A-Za-z0-9]{1,8})+|[xX](?:-[A-Za-z0-9]{1,8})+)$/;
const AT_URI = /^at:\/\/did:[a-z]+:[\w.:%-]+\/[a-zA-Z.]+\/[\w.:~-]+$/;
const ABSOLUTE_URI = /^[a-z][a-z0-9.-]{0,80}:\S+$/;

/** The formats of strings, from W specs/lexicon. */
const FORMATS = {
  datetime: (text: string) =>
    text.length <= 64 &&
    DATETIME.test(text) &&
    !text.endsWith("-00:00") &&
    !text.startsWith("0000") &&
    !Number.isNaN(Date.parse(text)) &&
    // `Date` would read a day that the month does not have as a day of the next month, so compare.
    new Date(`${text.slice(0, 10)}T00:00:00Z`).toISOString().startsWith(text.slice(0, 10)),
  language: (text: string) => LANGUAGE.test(text),
  did: (text: string) => text.length <= 2048 && DID.test(text),
  "at-uri": (text: string) => text.length <= 8192 && AT_URI.test(text),
  cid: (text: string) => CID.test(text),
  uri: (text: string) => text.length <= 8192 && ABSOLUTE_URI.test(text) && URL.canParse(text),
} as const;

interface StringRules {
  readonly maxGraphemes?: number;
  readonly maxBytes?: number;
  readonly format?: keyof typeof FORMATS;
}

/** Checks a string. Lone surrogates are refused, because they have no UTF-8 form, so no record can contain them. */
export const string =
  ({ maxGraphemes, maxBytes, format }: StringRules = {}): Check =>
  (value, path) => {
    if (typeof value !== "string") {
      return wrongType("string", value, path);
    }
    if (!value.isWellFormed()) {
      return `Invalid unicode at ${path}`;
    }
    if (maxBytes !== undefined && countBytes(value) > maxBytes) {
      return `string too big (maximum ${maxBytes}, got ${countBytes(value)}) at ${path}`;
    }
    if (maxGraphemes !== undefined && countGraphemes(value) > maxGraphemes) {
      return `grapheme too big (maximum ${maxGraphemes}, got ${countGraphemes(value)}) at ${path}`;
    }
    return format !== undefined && !FORMATS[format](value)
      ? `Invalid ${format} (got ${JSON.stringify(value.slice(0, 100))}) at ${path}`
      : null;
  };

export const integer =
  (minimum: number): Check =>
  (value, path) => {
    if (typeof value !== "number" || !Number.isSafeInteger(value)) {
      return wrongType("integer", value, path);
    }
    return value < minimum ? `integer too small (minimum ${minimum}, got ${value}) at ${path}` : null;
  };

const firstProblem = (problems: Iterable<string | null>): string | null => {
  for (const problem of problems) {
    if (problem !== null) {
      return problem;
    }
  }
  return null;
};

export const array =
  (item: Check, { min = 0, max }: { min?: number; max?: number } = {}): Check =>
  (value, path, options) => {
    if (!Array.isArray(value)) {
      return wrongType("array", value, path);
    }
    const items = value as readonly JsonValue[];
    if (max !== undefined && items.length > max) {
      return `array too big (maximum ${max}, got ${items.length}) at ${path}`;
    }
    if (items.length < min) {
      return `array too small (minimum ${min}, got ${items.length}) at ${path}`;
    }
    return firstProblem(items.map((one, index) => item(one, `${path}[${index}]`, options)));
  };

/** Checks an object. The member `$type` is optional, but if it is there it must equal `type`. */
export const object =
  (
    type: string | null,
    required: Readonly<Record<string, Check>>,
    optional: Readonly<Record<string, Check>> = {},
  ): Check =>
  (value, path, options) => {
    if (!isJsonObject(value)) {
      return wrongType("object", value, path);
    }
    const missing = Object.keys(required).find((name) => value[name] === undefined);
    if (missing !== undefined) {
      return `Missing required key "${missing}" at ${path}`;
    }
    if (value["$type"] !== undefined && type !== null && value["$type"] !== type) {
      return `Invalid $type (expected ${type}) at ${path}`;
    }
    const checks: Readonly<Record<string, Check>> = { ...required, ...optional };
    return firstProblem(
      Object.entries(value).map(([name, member]) => {
        const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
        const isKnown = check !== undefined || (name === "$type" && type !== null) || options.allowUnknown;
        return isKnown ? (check?.(member, `${path}.${name}`, options) ?? null) : `Unexpected key "${name}" at ${path}`;
      }),
    );
  };

/** Checks an object whose required `$type` selects its schema. */
export const union =
  (types: Readonly<Record<string, Check>>): Check =>
  (value, path, options) => {
    if (!isJsonObject(value)) {
      return wrongType("object", value, path);
    }
    const type = value["$type"];
    if (typeof type !== "string") {
      return `Missing required key "$type" at ${path}`;
    }
    const check = Object.hasOwn(types, type) ? types[type] : undefined;
    if (check) {
      return check(value, path, options);
    }
    return options.allowUnknown
      ? null
      : `Expected one of ${Object.keys(types).join(", ")} (got "${type.slice(0, 100)}") at ${path}.$type`;
  };

/** Checks a blob, which must be exactly as uploadBlob returned it (rule 22). */
export const blob =
  (accept: string, maxBytes: number): Check =>
  (value, path) => {
    const keys = isJsonObject(value) ? Object.keys(value).toSorted().join() : "";
    if (!isJsonObject(value) || value["$type"] !== "blob" || keys !== "$type,mimeType,ref,size") {
      return `Expected blob value type at ${path}`;
    }
    const { ref, mimeType, size } = value;
    const link = isJsonObject(ref) && Object.keys(ref).join() === "$link" ? ref["$link"] : null;
    if (typeof link !== "string" || !CID.test(link) || typeof mimeType !== "string" || !Number.isSafeInteger(size)) {
      return `Expected blob value type at ${path}`;
    }
    if (Number(size) > maxBytes) {
      return `blob too big (maximum ${maxBytes}, got ${Number(size)}) at ${path}`;
    }
    return matchesMimeType(accept, mimeType)
      ? null
      : `mime type not accepted (expected ${accept}, got ${mimeType}) at ${path}`;
  };
