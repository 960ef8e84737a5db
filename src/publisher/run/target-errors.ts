import type { StoredTargetError } from "#db/schema.ts";
import type { Fault } from "#platforms/contract.ts";
import { sanitizeMessage } from "./sanitize-message.ts";

/** What our own fault leaves to the operator. */
export const INTERNAL_ERROR = {
  category: "internal",
  platformCode: null,
  retryable: true,
  whoMustAct: "operator",
} as const;

/** The last error of a target that is not tried again; `fault` is the one that made the last attempt fail. */
export function deadlineError(message: string, fault: Fault | null): StoredTargetError {
  return {
    code: "deadline",
    category: fault?.category ?? "platform",
    message: sanitizeMessage(`no further attempts: ${message}`),
    platformCode: fault?.platformCode ?? null,
    retryable: true,
    whoMustAct: fault?.whoMustAct ?? "platform",
  };
}

/** A platform's refusal as the owner of the post reads it. */
export function toTargetError(fault: Fault): StoredTargetError {
  return {
    code: fault.code,
    category: fault.category,
    message: sanitizeMessage(fault.message),
    platformCode: fault.platformCode,
    retryable: fault.kind === "temporary" || fault.kind === "rate_limited",
    whoMustAct: fault.whoMustAct,
  };
}

/** Nobody can find out whether the post is public. */
export function outcomeUnknownError(reason: string): StoredTargetError {
  return {
    code: "outcome_unknown",
    category: "platform",
    message: `The platform may have published this post, and this cannot be verified: ${sanitizeMessage(reason)}. Check the account before posting again.`,
    platformCode: null,
    retryable: false,
    whoMustAct: "user",
  };
}
