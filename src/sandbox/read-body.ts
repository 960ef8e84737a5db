import type { Context as HttpContext } from "hono";
import type { z } from "zod";
import { RefusalError } from "#core/errors.ts";
import { log } from "#core/log.ts";
import { BadRequest } from "./bad-request.ts";
import type { SandboxEnv } from "./env.ts";

export type SandboxHttp = HttpContext<{ Bindings: SandboxEnv }>;

/** Reads a JSON body. An empty body counts as `{}`. */
export async function readBody<T>(c: SandboxHttp, schema: z.ZodType<T>): Promise<T> {
  const text = await c.req.text();
  let body: unknown;
  try {
    body = text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    throw new BadRequest("the body is not JSON");
  }
  return parseWith(schema, body);
}

export function parseWith<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const messages = parsed.error.issues.map((issue) => `${issue.path.join(".") || "the body"}: ${issue.message}`);
    throw new BadRequest(messages.join("; "));
  }
  return parsed.data;
}

/** The response of every route under /sandbox to an error. */
export function errorResponse(error: Error, c: SandboxHttp): Response {
  if (error instanceof BadRequest) {
    return c.json({ error: error.message, code: "invalid_request" }, 400);
  }
  if (error instanceof RefusalError) {
    return c.json({ error: error.refusal.message, code: error.refusal.code, details: error.refusal.details }, 400);
  }
  log("error", "sandbox_failed", { error: String(error) });
  return c.json({ error: "the sandbox failed", code: "internal_error" }, 500);
}
