import { NOW_PARAMETER } from "./post-text-form.ts";
import { CLOCK_TOLERANCE_MS, STATUS_OF_STATE, UNCONFIRMED_AFTER_MS } from "./target-status.ts";

/* SQL for the values that callers see, over a target `t` and a post `p`. The code in target-status.ts and
   post-rows.ts computes the same, and a test compares both. */

/** SQL: whether a call for the target may be running although the row does not show it yet. */
const IS_IN_FLIGHT = `(p.status = 'publishing' AND t.state IN ('pending', 'retry_wait')
    AND (t.next_attempt_at IS NULL OR t.next_attempt_at <= ${NOW_PARAMETER} + ${CLOCK_TOLERANCE_MS}))`;

/** SQL: since when (ms) the outcome is uncertain. Null if it is certain. */
const UNCERTAIN_SINCE = `(SELECT iif(h.value ->> 'outcome' = 'uncertain', h.value ->> 'at', NULL) FROM json_each(t.history) h
  WHERE h.value ->> 'outcome' IN ('uncertain', 'accepted') ORDER BY h.key DESC LIMIT 1)`;

export const TARGET_STATUS_SQL = `CASE WHEN t.state = 'verifying' THEN iif(${NOW_PARAMETER} - ${UNCERTAIN_SINCE} > ${UNCONFIRMED_AFTER_MS}, 'unconfirmed', 'processing')
    WHEN ${IS_IN_FLIGHT} THEN 'processing'
    ${Object.entries(STATUS_OF_STATE)
      .filter(([state, status]) => state !== status)
      .map(([state, status]) => `WHEN t.state = '${state}' THEN '${status}'`)
      .join(" ")}
    ELSE t.state END`;

/** SQL: when (ms) the target is tried or looked up again. Null while a call may be running. */
export const NEXT_ATTEMPT_AT_SQL = `iif(${IS_IN_FLIGHT}, NULL, t.next_attempt_at)`;

/**
 * SQL for the lateness (ms). It ends at the visible call: a platform that the service polls reports the publication
 * only later.
 */
export const LATE_BY_MS_SQL =
  "iif(t.published_at IS NULL, NULL, max(0, coalesce(t.started_at, t.published_at) - t.due_at))";

/** SQL: when (ms) the last published target became public. Null until the post is done. */
export const PUBLISHED_AT_SQL = `CASE WHEN p.status IN ('published', 'partially_failed')
  THEN (SELECT max(done.published_at) FROM post_targets done WHERE done.post_id = p.id) END`;

/**
 * SQL for the paused reason. It hides the one that a publishing post has after a restore, while the service looks up
 * its targets.
 */
export const PAUSED_REASON_SQL = "iif(p.status = 'publishing', NULL, p.paused_reason)";

/** SQL: whether a part of post `p` is published, or may be. */
export const HAS_PUBLICATION = `EXISTS (SELECT 1 FROM post_targets x WHERE x.post_id = p.id
  AND (x.state IN ('published', 'unconfirmed') OR x.progress IS NOT NULL))`;
