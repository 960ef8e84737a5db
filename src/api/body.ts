import { refuse } from "#core/errors.ts";
import type { JsonValue } from "#core/json.ts";
import type { ApiContext } from "./env.ts";
import { TransportError } from "./errors.ts";
import { firstAttemptOf } from "./second-attempt.ts";
import { decodeUtf8, readBytes } from "#wire/read-bytes.ts";
import { assertWellFormed } from "#wire/well-formed.ts";

function mediaTypeOf(request: Request): string | undefined {
  return request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
}

/** The media types with which browsers and spreadsheets send a table. Windows gives a CSV file the type of Excel. */
export const TABLE_TYPES = ["text/csv", "text/tab-separated-values", "application/vnd.ms-excel"] as const;

export function isTable(request: Request): boolean {
  const type = mediaTypeOf(request);
  return TABLE_TYPES.some((known) => known === type);
}

function parseJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // mutant: unread-body-is-our-fault
    refuse({ code: "invalid_request", message: "the body is not valid JSON" });
  }
}

/**
 * Stores the body text where Hono's validators look first, because a body can be read only once. Hono's type expects
 * something other than a promise of text.
 */
function cacheBodyText(c: ApiContext, text: string): void {
  c.req.bodyCache.text = Promise.resolve(text) as never;
}

/** Reads the request body once and stops at the size limit. */
async function readOnce(c: ApiContext): Promise<Uint8Array> {
  const { bytes = await readBytes(c.req.raw) } = firstAttemptOf(c.req.raw) ?? {};
  c.set("bodyBytes", bytes);
  if (bytes === null) {
    throw new TransportError("payload_too_large", "the body is over 1 MiB");
  }
  return bytes;
}

function decodeBody(c: ApiContext, bytes: Uint8Array): string {
  const encoding = c.req.raw.headers.get("content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    throw new TransportError("unsupported_media_type", "send the body uncompressed");
  }
  return decodeUtf8(bytes) ?? refuse({ code: "invalid_request", message: "the body is not valid UTF-8" });
}

export async function readText(c: ApiContext): Promise<string> {
  return decodeBody(c, await readOnce(c));
}

/** Reads a JSON body. Its text is cached, because Hono's validators need it and a body can be read only once. */
export async function readBody(c: ApiContext): Promise<JsonValue> {
  const bytes = await readOnce(c);
  if (bytes.byteLength === 0) {
    refuse({ code: "invalid_request", message: "a JSON body is required" });
  }
  if (mediaTypeOf(c.req.raw) !== "application/json") {
    throw new TransportError("unsupported_media_type", "send the body as application/json");
  }
  const text = decodeBody(c, bytes);
  const body = parseJson(text);
  assertWellFormed(body);
  cacheBodyText(c, text);
  return body;
}
