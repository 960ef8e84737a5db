/* D1 reports errors only as texts, and it may change them. Only this file recognizes the texts, so that a change is
   corrected in one place. */

const LOST_RESPONSE = /Network connection lost|object to be reset|code was updated/i;

/**
 * Whether D1 may have run the statements although no response arrived. These are the transient errors that D1
 * documents.
 */
export function isLostResponse(error: unknown): boolean {
  return LOST_RESPONSE.test(String(error));
}

/**
 * How long (s) an overloaded caller should wait. Requests stay in D1's queue for seconds, so an earlier retry would
 * only fill it again.
 */
export const OVERLOADED_RETRY_SECONDS = 5;

const OVERLOADED = /D1 DB is overloaded|Too many requests queued|Requests queued for too long/i;

/**
 * Whether D1 refused the statements because its queue is full, so that none of them ran. For a drizzle error it checks
 * the cause, because the error's text contains parameters, which may be a user's words.
 */
export function isOverloaded(error: unknown): boolean {
  if (!(error instanceof Error)) {
    return false;
  }
  return (!("params" in error) && OVERLOADED.test(error.message)) || isOverloaded(error.cause);
}

/** Whether a violated constraint rolled back the statements. */
export function isConstraintViolation(error: unknown): boolean {
  return String(error).toLowerCase().includes("constraint failed");
}

/**
 * The name of the CHECK constraint and of the `failUnless` statement that roll back a confirm if something that its
 * PostPlan depends on has changed.
 */
export const STALE_PLAN = "stale_plan";

export function isStalePlan(error: unknown): boolean {
  return String(error).includes(STALE_PLAN);
}

/** The name of the `failUnless` statement that rolls back a transaction above a limit of the hour. */
export const LIMIT_REACHED = "limit_reached";

export function isLimitReached(error: unknown): boolean {
  return String(error).includes(LIMIT_REACHED);
}

/** The text in the error of a `failUnless` statement without its own name. */
export const UNMET_CONDITION = "condition_unmet";

/** Whether the condition at the start of a batch was false, so that D1 rolled the batch back. */
export function isUnmetCondition(error: unknown): boolean {
  return (
    error instanceof Error &&
    ((!("params" in error) && error.message.includes(UNMET_CONDITION)) || isUnmetCondition(error.cause))
  );
}
