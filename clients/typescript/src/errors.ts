import type { ErrorApproval, ErrorBody, ErrorCode, ErrorDetail } from "./generated/types.gen.ts";

/** What every refusal of the service has. Narrow it by its code with {@link isAlmanacError}. */
export class AlmanacError extends Error {
  override readonly name: string = "AlmanacError";
  /** Why the call was refused: a word of a closed list. */
  readonly code: ErrorCode;
  /** The HTTP status. */
  readonly status: number;
  /** Names this call in the logs of the service. */
  readonly requestId: string;
  /** The member that was refused, if it is only one. */
  readonly param: string | undefined;
  /** Every problem found, not only the first. */
  readonly details: readonly ErrorDetail[];
  /** The posts that the refusal is about. */
  readonly postIds: readonly string[];
  /** The approval that a confirm waits for, or that was decided. */
  readonly approval: ErrorApproval | undefined;
  /** How long the service asks to wait before the same call is sent again. */
  readonly retryAfterSeconds: number | undefined;

  /** Made from the status, the body and the `Retry-After` of a refusal. */
  constructor(status: number, body: ErrorBody, retryAfterSeconds?: number) {
    super(body.error);
    this.code = body.code;
    this.status = status;
    this.requestId = body.request_id;
    this.param = body.param;
    this.details = body.details ?? [];
    this.postIds = body.post_ids ?? [];
    this.approval = body.approval;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The codes whose refusal names an approval. */
export type ApprovalErrorCode =
  | "approval_required"
  | "approval_declined"
  | "approval_expired"
  | "approval_stale"
  | "approval_withdrawn";

/** A refusal with the members that its code always has. */
export type AlmanacErrorWith<Code extends ErrorCode> = AlmanacError & {
  readonly code: Code;
} & (Code extends ApprovalErrorCode ? { readonly approval: ErrorApproval } : unknown);

/** Every refusal, told apart by `code`. */
export type AnyAlmanacError = { [Code in ErrorCode]: AlmanacErrorWith<Code> }[ErrorCode];

/** Whether something thrown is a refusal of the service; with a code, whether it is that one. */
export function isAlmanacError(error: unknown): error is AnyAlmanacError;
export function isAlmanacError<Code extends ErrorCode>(error: unknown, code: Code): error is AlmanacErrorWith<Code>;
export function isAlmanacError(error: unknown, code?: ErrorCode): boolean {
  return error instanceof AlmanacError && (code === undefined || error.code === code);
}

/**
 * No answer of the service arrived, although the call was repeated where that is safe. What was asked for may have been
 * done or not: the same call with the same idempotency key tells.
 */
export class AlmanacConnectionError extends Error {
  override readonly name: string = "AlmanacConnectionError";
  /** How often the call was sent. */
  readonly attempts: number;
  /** The status of the last answer, when something between client and service gave one that is not the service's. */
  readonly status: number | undefined;

  /** Made from the last failure. */
  constructor(
    message: string,
    details: { readonly attempts: number; readonly status?: number; readonly cause?: unknown },
  ) {
    super(message, { cause: details.cause });
    this.attempts = details.attempts;
    this.status = details.status;
  }
}

/** Whether a parsed body is a refusal of the service, and not that of something in between. */
export function isErrorBody(body: unknown): body is ErrorBody {
  return (
    typeof body === "object" &&
    body !== null &&
    "error" in body &&
    typeof body.error === "string" &&
    "code" in body &&
    typeof body.code === "string"
  );
}
