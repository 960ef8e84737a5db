import type { StoredTargetError } from "#db/schema.ts";
import type { Fault } from "#platforms/contract.ts";
import { sanitizeMessage } from "./sanitize-message.ts";

/** The common members of an error that only the operator can solve. */
export const INTERNAL_ERROR = {
  category: "internal",
  platformCode: null,
  retryable: true,
  whoMustAct: "operator",
} as const;

/** The error of a target whose tries are used up. `fault` is that of the last attempt. */
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

/** A platform's refusal in the form in which the owner of the post reads it. */
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

/** The error if the service cannot find out whether the post is published. */
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

/** The error if the stored rows differ from what was confirmed. */
export const PLAN_MISMATCH_ERROR = {
  code: "plan_mismatch",
  category: "internal",
  message: "What is stored differs from what was confirmed, so nothing was sent.",
  platformCode: null,
  retryable: true,
  whoMustAct: "operator",
} as const;

/** The error after a restore: the post may already be published, or its row may be older than the last confirm. */
export const DATABASE_RESTORED_ERROR = {
  code: "database_restored",
  category: "internal",
  message: "The database was put back to an earlier time; the platform does not have this post, and it was not sent.",
  platformCode: null,
  retryable: true,
  whoMustAct: "user",
} as const;
