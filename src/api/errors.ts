import type { ErrorHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { HttpErrorCode, RefusalCode } from "#core/codes.ts";
import { RefusalError } from "#core/errors.ts";
import { log } from "#core/log.ts";
import { isOverloaded, isUnmetCondition, OVERLOADED_RETRY_SECONDS } from "#db/errors.ts";
import type { ApiContext, ApiEnv } from "./env.ts";
import { describeError, refusalBody } from "#wire/refusal-body.ts";
import type { ErrorBody } from "#wire/schemas/error.ts";

/** The HTTP status of each refusal code. Use cases know only codes, so this is the only map. */
const STATUS = {
  invalid_request: 400,
  validation_failed: 400,
  confirmation_required: 400,
  platform_not_configured: 400,
  invalid_confirmation_token: 400,
  token_already_used: 400,
  draft_changed: 400,
  too_many_drafts: 400,
  scheduled_at_in_past: 400,
  post_changed: 400,
  slot_taken: 400,
  approval_declined: 400,
  approval_expired: 400,
  approval_stale: 400,
  approval_withdrawn: 400,
  too_many_approvals: 400,
  invalid_state: 400,
  idempotency_key_reused: 400,
  unauthenticated: 401,
  approval_required: 403,
  insufficient_scope: 403,
  subscription_required: 403,
  plan_required: 403,
  workspace_pinned: 403,
  account_limit_reached: 403,
  storage_limit_reached: 403,
  quota_exceeded: 403,
  not_found: 404,
  idempotency_key_in_use: 409,
  token_not_visible_yet: 409,
  rate_limited: 429,
  service_held: 503,
} as const satisfies Record<RefusalCode, 400 | 401 | 403 | 404 | 409 | 429 | 503>;

/** Statuses of errors in HTTP itself, for example a body that is too large. Use cases never produce them. */
const TRANSPORT_STATUS = {
  method_not_allowed: 405,
  payload_too_large: 413,
  unsupported_media_type: 415,
  internal_error: 500,
  overloaded: 503,
} as const satisfies Record<HttpErrorCode, 405 | 413 | 415 | 500 | 503>;

/** Thrown to answer with an error of HTTP itself, such as a wrong method. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly code: HttpErrorCode;
  constructor(code: HttpErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

function transportErrorResponse(c: ApiContext, code: HttpErrorCode, message: string): Response {
  const body: ErrorBody = { error: message, code, request_id: c.get("requestId") };
  return c.json(body, TRANSPORT_STATUS[code]);
}

/** Answers a refusal with its status. Any other error is logged, and the answer does not describe it. */
export const onError: ErrorHandler<ApiEnv> = (error, c) => {
  if (error instanceof RefusalError) {
    const { refusal } = error;
    if (refusal.retryAfterSeconds !== undefined) {
      c.header("Retry-After", String(Math.max(1, Math.ceil(refusal.retryAfterSeconds))));
    }
    return c.json(refusalBody(refusal, c.get("requestId")), STATUS[refusal.code] satisfies ContentfulStatusCode);
  }
  if (error instanceof TransportError) {
    return transportErrorResponse(c, error.code, error.message);
  }
  if (error instanceof HTTPException && error.status === 415) {
    return transportErrorResponse(c, "unsupported_media_type", "send the body as application/json");
  }
  if (error instanceof HTTPException && error.status < 500) {
    return c.json(
      refusalBody({ code: "invalid_request", message: "the request cannot be read" }, c.get("requestId")),
      400,
    );
  }
  if (isUnmetCondition(error)) {
    // The caller never sees this response: the guard discards it and runs the call again.
    return c.body(null, 500);
  }
  if (isOverloaded(error)) {
    log("warn", "api.overloaded", { request_id: c.get("requestId"), method: c.req.method });
    c.header("Retry-After", String(OVERLOADED_RETRY_SECONDS));
    return transportErrorResponse(
      c,
      "overloaded",
      "the service is overloaded: send the same call again in some seconds",
    );
  }
  log("error", "api.unexpected", { request_id: c.get("requestId"), method: c.req.method, ...describeError(error) });
  return transportErrorResponse(
    c,
    "internal_error",
    "internal error: try again later, and give the operator the request id if it persists",
  );
};
