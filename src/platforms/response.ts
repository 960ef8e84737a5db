import { z } from "@hono/zod-openapi";
import type { Fault, PlatformClient, PlatformRequestInit, Result } from "./contract.ts";
import { failed, succeeded, temporary } from "./fault.ts";

/** A platform's HTTP response, read to its end, with a parsed JSON body. */
export interface PlatformResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body. Undefined if it is not JSON, or exceeds the size limit of answers. */
  readonly json: unknown;
}

/**
 * Sends a request and parses the response. Throws if the connection fails at any point, even in the middle of the body.
 */
export async function callPlatform(
  client: PlatformClient,
  url: string | URL,
  init?: PlatformRequestInit,
): Promise<PlatformResponse> {
  const { status, headers, text } = await client.fetch(url, init);
  return { status, headers, json: text === null ? undefined : parseJson(text) };
}

/** Keeps large JSON numbers as text. Some platforms write ids beyond 2^53, which JavaScript would round. */
function keepBigIntegers(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const isRounded = typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "");
  return isRounded ? context?.source : value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, keepBigIntegers);
  } catch {
    return undefined;
  }
}

/** An id as text, whether the platform sent a text or a number. */
export const Id = z.union([z.string().min(1), z.number()]).transform(String);

export function isOk(response: PlatformResponse): boolean {
  return response.status >= 200 && response.status < 300;
}

/** Parses a body by a schema. Undefined if the response differs from the platform's documents. */
export function parseBody<S extends z.ZodType>(schema: S, response: PlatformResponse): z.infer<S> | undefined {
  const parsed = schema.safeParse(response.json);
  return parsed.success ? parsed.data : undefined;
}

type ToFault = (response: PlatformResponse) => Fault;

/** The fault of a refusal. `missing` says what an accepted response lacked. */
export function faultOf(response: PlatformResponse, missing: string, toFault: ToFault): Fault {
  return isOk(response) ? temporary(missing, { httpStatus: response.status }) : toFault(response);
}

export function readBody<S extends z.ZodType>(
  schema: S,
  response: PlatformResponse,
  missing: string,
  toFault: ToFault,
): Result<NonNullable<z.infer<S>>> {
  const body = isOk(response) ? parseBody(schema, response) : undefined;
  return body === undefined || body === null ? failed(faultOf(response, missing, toFault)) : succeeded(body);
}

/**
 * The header `Retry-After` in seconds. RFC 9110 allows a number or a date, which is compared with the response's `Date`
 * header.
 */
export function retryAfterSeconds(headers: Headers): number | undefined {
  const value = headers.get("retry-after")?.trim();
  if (!value) {
    return undefined;
  }
  if (/^\d{1,9}$/.test(value)) {
    return Number(value);
  }
  const seconds = (Date.parse(value) - Date.parse(headers.get("date") ?? "")) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined;
}
