import { z } from "@hono/zod-openapi";
import type { PlatformClient, PlatformRequestInit } from "./contract.ts";

/** A whole answer of a platform: read to its end, parsed where it is JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined when the body is not JSON. */
  readonly json: unknown;
}

/** Sends and reads; throws when the connection fails at any point, the middle of the answer included. */
export async function call(client: PlatformClient, url: string | URL, init?: PlatformRequestInit): Promise<Answer> {
  const response = await client.fetch(url, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, json: parseJson(text) };
}

/** Some platforms write ids as bare numbers beyond 2^53, which JavaScript would round: those stay the text they were. */
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

/** An id as text, whether it came as text or as a number. */
export const Id = z.union([z.string().min(1), z.number()]).transform(String);

export function isOk(answer: Answer): boolean {
  return answer.status >= 200 && answer.status < 300;
}

/** The fields we read, or undefined when the answer is not what its document says. */
export function read<S extends z.ZodType>(schema: S, answer: Answer): z.infer<S> | undefined {
  const parsed = schema.safeParse(answer.json);
  return parsed.success ? parsed.data : undefined;
}

/** `Retry-After` as seconds, in both of its spellings; a date is measured against the answer's own clock. */
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
