import { refuse } from "#core/errors.ts";
import type { JsonValue } from "#core/json.ts";
import type { ApiContext } from "./env.ts";
import { TransportError } from "./errors.ts";
import { assertWellFormed } from "./well-formed.ts";

const MAX_BODY_BYTES = 1024 ** 2;

const tooLarge = () => new TransportError("payload_too_large", "the body is over 1 MiB");

async function readBytes(request: Request): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BODY_BYTES) {
    throw tooLarge();
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) {
      throw tooLarge();
    }
    chunks.push(chunk);
  }
  const [first] = chunks;
  if (first && chunks.length === 1) {
    return first;
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

function isJson(contentType: string | null): boolean {
  return contentType?.split(";", 1)[0]?.trim().toLowerCase() === "application/json";
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    refuse({ code: "invalid_request", message: "the body is not valid JSON" });
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    refuse({ code: "invalid_request", message: "the body is not valid UTF-8" });
  }
}

/** Hono types its cache by what the promises in it give; a validator asks it instead of reading the body a second time. */
function keepText(c: ApiContext, text: string): void {
  c.req.bodyCache.text = Promise.resolve(text) as never;
}

/** Reads the body once, within its limit, and leaves it where the validators look for it. */
export async function readBody(c: ApiContext): Promise<JsonValue> {
  const bytes = await readBytes(c.req.raw);
  if (bytes.byteLength === 0) {
    refuse({ code: "invalid_request", message: "a JSON body is required" });
  }
  if (!isJson(c.req.raw.headers.get("content-type"))) {
    throw new TransportError("unsupported_media_type", "send the body as application/json");
  }
  const encoding = c.req.raw.headers.get("content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    throw new TransportError("unsupported_media_type", "send the body uncompressed");
  }
  const text = decode(bytes);
  const body = parse(text);
  assertWellFormed(body);
  keepText(c, text);
  return body;
}
