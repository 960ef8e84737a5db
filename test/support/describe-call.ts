import type { JsonValue } from "#core/json.ts";

/* A call to a platform as text that is the same in every run: names as sent, changing values replaced by what they are. */

const SECRET_NAMES = new Set(
  `access_token refresh_token client_secret code code_verifier code_challenge state token input_token fb_exchange_token
   appsecret_proof client_assertion device_id nonce jti`.split(/\s+/),
);
const MAX_LITERAL_LENGTH = 240;

/** What a value is, where it is not a constant of the adapter. */
function describeValue(name: string, value: string): string {
  if (SECRET_NAMES.has(name)) {
    return `‹${name}›`;
  }
  if (name !== "scope" && /^https?:\/\//.test(value)) {
    return "‹url›";
  }
  if (/^\d{4}-\d\d-\d\dT/.test(value)) {
    return "‹time›";
  }
  if (/^\d{5,}$/.test(value)) {
    return "‹number›";
  }
  // The ids of YouTube's videos are too short to be told from words.
  if (((name === "id" || name === "videoId") && /^[\w-]{11}$/.test(value)) || isIdentifier(value)) {
    return "‹id›";
  }
  const urn = value
    .replaceAll(/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g, "‹id›")
    .replaceAll(/(?<=:)(?:[\w-]*\d[\w-]{5,}|[\w-]{32,})/g, "‹id›")
    .replaceAll(/(?<=\/app\.bsky\.feed\.post\/)\w{13}\b/g, "‹id›")
    .replaceAll(/(?<=\/)[\w-]{16,}/g, (segment) => (isIdentifier(segment) ? "‹id›" : segment))
    .replaceAll(/\d{5,}/g, "‹number›");
  return urn.length > MAX_LITERAL_LENGTH ? "‹text›" : urn.replaceAll("\n", "\\n");
}

/** Random or derived from something random: long, with letters and digits mixed, or longer with both cases mixed. */
function isIdentifier(value: string): boolean {
  return (
    /^(?=.*\d)(?=.*[A-Za-z])[\w-]{16,}$/.test(value) ||
    /^(?=.*[a-z])(?=.*[A-Z])[\w-]{32,}$/.test(value) ||
    /^[2-7a-z]{13}$/.test(value)
  );
}

const describePath = (path: string): string =>
  path
    .split("/")
    .map((segment) => {
      const decoded = decodeURIComponent(segment);
      return /^\d{5,}$/.test(decoded) || decoded.length >= 13 ? describeValue("", decoded) : decoded;
    })
    .join("/");

const describePairs = (pairs: Iterable<readonly [string, string]>): string =>
  Array.from(pairs, ([name, value]) => `${name}=${describeValue(name, value)}`).join(", ");

function describeJson(value: JsonValue, name = ""): JsonValue {
  if (typeof value === "string") {
    return describeValue(name, value);
  }
  if (typeof value === "number") {
    return Math.abs(value) >= 10_000 ? "‹number›" : value;
  }
  if (Array.isArray(value)) {
    return value.map((item: JsonValue) => describeJson(item, name));
  }
  return value === null || typeof value !== "object"
    ? value
    : Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, describeJson(inner, member)]));
}

async function describeBody(request: Request): Promise<string | null> {
  const type = request.headers.get("content-type") ?? "";
  if (type.startsWith("application/json")) {
    const text = await request.text();
    return text === "" ? null : `json ${JSON.stringify(describeJson(JSON.parse(text) as JsonValue))}`;
  }
  if (type.startsWith("application/x-www-form-urlencoded")) {
    return `form ${describePairs(new URLSearchParams(await request.text()))}`;
  }
  if (type.startsWith("multipart/form-data")) {
    const form = await request.formData();
    const fields = Array.from(form, ([name, value]): [string, string] => [
      name,
      typeof value === "string" ? value : `‹file ${value.type}›`,
    ]);
    return `multipart ${fields.map(([name, value]) => `${name}=${value.startsWith("‹") ? value : describeValue(name, value)}`).join(", ")}`;
  }
  const bytes = await request.arrayBuffer();
  return bytes.byteLength === 0 ? null : `bytes${type === "" ? "" : ` ${type}`}`;
}

/** Headers that say something to the platform; the others are those of every call. */
const TOLD_HEADERS =
  /^(?:authorization|dpop|linkedin-version|x-restli-.*|content-range|x-upload-.*|offset|file_size|file_url|idempotency-key)$/;

/** `Bearer`, `Basic`, `OAuth`: the scheme alone of an authorization, the whole value of other headers. */
const describeHeaders = (headers: Headers): string =>
  Array.from(headers)
    .filter(([name]) => TOLD_HEADERS.test(name))
    .map(([name, value]) => {
      if (name === "authorization") {
        return `${name}: ${value.split(" ")[0]} ‹token›`;
      }
      return `${name}: ${name === "dpop" ? "‹proof›" : describeValue(name, value)}`;
    })
    .join(", ");

/** One call in a few lines. */
export async function describeCall(request: Request, status: number): Promise<string> {
  const url = new URL(request.url);
  // The sandbox's own parameter, which consents in the place of a person.
  const query = [...url.searchParams].filter(([name]) => name !== "login");
  const parts = [
    query.length > 0 && `query ${describePairs(query)}`,
    describeHeaders(request.headers),
    await describeBody(request),
  ].filter((part) => part !== false && part !== null && part !== "");
  return [
    `${request.method} ${url.host}${describePath(url.pathname)} → ${status}`,
    ...parts.map((part) => `    ${part}`),
  ].join("\n");
}
