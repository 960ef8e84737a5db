/*
 * D1 reports errors as texts only. This file is the only one that recognizes them, so that a changed text is corrected once.
 */

const LOST_RESPONSE = /Network connection lost|object to be reset|code was updated/i;

/** Whether the statements may have been executed although no answer arrived (the transient errors that D1 documents). */
export function isLostResponse(error: unknown): boolean {
  return LOST_RESPONSE.test(String(error));
}

/** The queue of the database holds requests for some seconds; callers that come back sooner would only fill it again. */
export const OVERLOADED_RETRY_SECONDS = 5;

const OVERLOADED = /D1 DB is overloaded|Too many requests queued|Requests queued for too long/i;

/**
 * Whether D1 refused the statements because its queue is full; nothing of them was executed. A failed drizzle query holds the
 * error of D1 as its cause, and its own text contains parameters, which may be a user's words.
 */
export function isOverloaded(error: unknown): boolean {
  if (!(error instanceof Error)) {
    return false;
  }
  return (!("params" in error) && OVERLOADED.test(error.message)) || isOverloaded(error.cause);
}

/** Whether a constraint undid the statements. */
export function isConstraintViolation(error: unknown): boolean {
  return String(error).toLowerCase().includes("constraint failed");
}

/** The CHECK constraint and the statement of `failUnless` that undo a plan of which a dependency has changed. */
export const STALE_PLAN = "stale_plan";

export function isStalePlan(error: unknown): boolean {
  return String(error).includes(STALE_PLAN);
}

/** Part of the text of the error by which a statement of `failUnless` fails. */
export const UNMET_CONDITION = "condition_unmet";

/** Whether the leading statement of a conditional batch undid it. */
export function isUnmetCondition(error: unknown): boolean {
  return (
    error instanceof Error &&
    ((!("params" in error) && error.message.includes(UNMET_CONDITION)) || isUnmetCondition(error.cause))
  );
}
