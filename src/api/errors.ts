import type { ErrorHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { type Detail, type Refusal, RefusalError, type RefusalCode } from "#core/errors.ts";
import { log } from "#core/log.ts";
import type { ApiContext, ApiEnv } from "./env.ts";
import type { ErrorBody } from "./schemas/error.ts";

/** The one place that knows both the words of the product and the statuses of HTTP. */
const STATUS = {
  invalid_request: 400,
  validation_failed: 400,
  confirmation_required: 400,
  platform_not_configured: 400,
  invalid_confirmation_token: 400,
  token_already_used: 400,
  scheduled_at_in_past: 400,
  post_changed: 400,
  invalid_state: 400,
  idempotency_key_reused: 400,
  unauthenticated: 401,
  insufficient_scope: 403,
  subscription_required: 403,
  plan_required: 403,
  account_limit_reached: 403,
  storage_limit_reached: 403,
  not_found: 404,
  idempotency_key_in_use: 409,
  rate_limited: 429,
} as const satisfies Record<RefusalCode, 400 | 401 | 403 | 404 | 409 | 429>;

/** What only the transport can refuse; the verbs know none of it. */
const TRANSPORT_STATUS = {
  method_not_allowed: 405,
  payload_too_large: 413,
  unsupported_media_type: 415,
  internal_error: 500,
} as const;

type TransportCode = keyof typeof TRANSPORT_STATUS;

/** A refusal of HTTP itself, on its way to the caller. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly code: TransportCode;
  constructor(code: TransportCode, message: string) {
    super(message);
    this.code = code;
  }
}

function toWire(detail: Detail): NonNullable<ErrorBody["details"]>[number] {
  const { accountId, ...rest } = detail;
  return accountId === undefined ? rest : { ...rest, account_id: accountId };
}

function refusalBody(refusal: Refusal, requestId: string): ErrorBody {
  return {
    error: refusal.message,
    code: refusal.code,
    ...(refusal.param !== undefined && { param: refusal.param }),
    ...(refusal.details && refusal.details.length > 0 && { details: refusal.details.map(toWire) }),
    ...(refusal.postIds && refusal.postIds.length > 0 && { post_ids: [...refusal.postIds] }),
    request_id: requestId,
  };
}

function refuseTransport(c: ApiContext, code: TransportCode, message: string): Response {
  const body: ErrorBody = { error: message, code, request_id: c.var.requestId };
  return c.json(body, TRANSPORT_STATUS[code]);
}

/** The message of a failed drizzle query carries its parameters, so its cause speaks instead. */
function describe(error: unknown): { name: string; message: string; stack: string } {
  if (!(error instanceof Error)) {
    return { name: typeof error, message: "", stack: "" };
  }
  const told = "params" in error ? error.cause : error;
  const frames = (error.stack ?? "").split("\n").filter((line) => line.startsWith("    at "));
  return {
    name: error.name,
    message: told instanceof Error ? told.message : "",
    stack: frames.slice(0, 8).join("\n"),
  };
}

/** Expected refusals become their status; everything else is logged, and the caller learns nothing of the inside. */
export const onError: ErrorHandler<ApiEnv> = (error, c) => {
  if (error instanceof RefusalError) {
    const { refusal } = error;
    if (refusal.retryAfterSeconds !== undefined) {
      c.header("Retry-After", String(Math.max(1, Math.ceil(refusal.retryAfterSeconds))));
    }
    return c.json(refusalBody(refusal, c.var.requestId), STATUS[refusal.code] satisfies ContentfulStatusCode);
  }
  if (error instanceof TransportError) {
    return refuseTransport(c, error.code, error.message);
  }
  if (error instanceof HTTPException && error.status === 415) {
    return refuseTransport(c, "unsupported_media_type", "send the body as application/json");
  }
  if (error instanceof HTTPException && error.status < 500) {
    return c.json(
      refusalBody({ code: "invalid_request", message: "the request cannot be read" }, c.var.requestId),
      400,
    );
  }
  log("error", "api.unexpected", { request_id: c.var.requestId, method: c.req.method, ...describe(error) });
  return refuseTransport(
    c,
    "internal_error",
    "internal error: try again later, and give the operator the request id if it stays",
  );
};
