import { toIsoInstant } from "#core/clock.ts";
import type { ApprovalReference, Refusal, RefusalDetail } from "#core/errors.ts";
import type { ErrorBody } from "./schemas/error.ts";

export function toJsonDetail(detail: RefusalDetail): NonNullable<ErrorBody["details"]>[number] {
  const { accountId, parts: _forPages, ...rest } = detail;
  return accountId === undefined ? rest : { ...rest, account_id: accountId };
}

function toJsonApproval({ id, url, state, expiresAt, note }: ApprovalReference): ErrorBody["approval"] {
  return { id, url, state, expires_at: toIsoInstant(expiresAt), ...(note !== null && { note }) };
}

/** The body of an API error response. MCP tools return it in `_meta`. */
export function refusalBody(refusal: Refusal, requestId: string): ErrorBody {
  return {
    error: refusal.message,
    code: refusal.code,
    ...(refusal.param !== undefined && { param: refusal.param }),
    ...(refusal.details && refusal.details.length > 0 && { details: refusal.details.map(toJsonDetail) }),
    ...(refusal.postIds && refusal.postIds.length > 0 && { post_ids: [...refusal.postIds] }),
    ...(refusal.approval && { approval: toJsonApproval(refusal.approval) }),
    request_id: requestId,
  };
}

/**
 * Describes an error for the log. The message of a failed drizzle query contains its parameters, which may be secret,
 * so its cause is logged.
 */
export function describeError(error: unknown): { name: string; message: string; stack: string } {
  if (!(error instanceof Error)) {
    return { name: typeof error, message: "", stack: "" };
  }
  const messageSource = "params" in error ? error.cause : error;
  const frames = (error.stack ?? "").split("\n").filter((line) => line.startsWith("    at "));
  return {
    name: error.name,
    message: messageSource instanceof Error ? messageSource.message : "",
    stack: frames.slice(0, 8).join("\n"),
  };
}
