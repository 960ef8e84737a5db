/* D1 reports errors only as texts. Only this file recognizes them, so that a text which D1 changes is corrected in one place. */

const LOST_RESPONSE = /Network connection lost|object to be reset|code was updated/i;

/** Whether D1 may have run the statements although no response arrived (the transient errors that D1 documents). */
export function isLostResponse(error: unknown): boolean {
  return LOST_RESPONSE.test(String(error));
}

/** Requests stay in D1's queue for some seconds. Callers that retry sooner would only fill it again. */
export const OVERLOADED_RETRY_SECONDS = 5;

const OVERLOADED = /D1 DB is overloaded|Too many requests queued|Requests queued for too long/i;

/**
 * Whether D1 refused the statements because its queue is full; it has then run none of them. Checks the cause of a drizzle error, not its
 * text, because that text contains parameters, which may be a user's words.
 */
export function isOverloaded(error: unknown): boolean {
  if (!(error instanceof Error)) {
    return false;
  }
  return (!("params" in error) && OVERLOADED.test(error.message)) || isOverloaded(error.cause);
}

/** Whether a constraint rolled back the statements. */
export function isConstraintViolation(error: unknown): boolean {
  return String(error).toLowerCase().includes("constraint failed");
}

/**
 * The name of the CHECK constraint and of the `failUnless` statement that roll back a confirm when something that its PostPlan depends on
 * has changed.
 */
export const STALE_PLAN = "stale_plan";

export function isStalePlan(error: unknown): boolean {
  return String(error).includes(STALE_PLAN);
}

/** The text in the error of a `failUnless` statement that has no name of its own. */
export const UNMET_CONDITION = "condition_unmet";

/** Whether the condition at the start of the batch was false and rolled it back. */
export function isUnmetCondition(error: unknown): boolean {
  return (
    error instanceof Error &&
    ((!("params" in error) && error.message.includes(UNMET_CONDITION)) || isUnmetCondition(error.cause))
  );
}
