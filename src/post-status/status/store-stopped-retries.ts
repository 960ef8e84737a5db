import type { Statement } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { appendChange } from "#posts/rows/change-record.ts";
import { OPEN_STATES_SQL } from "#posts/rows/state-machine.ts";
import { HAS_PUBLICATION } from "#posts/rows/store-target-status.ts";

/*
 * A failed post that was edited to a new time (P16) may already be public on some of its accounts. Stopping its retry never cancels or
 * pauses the post, because it would disappear from every list while it is public. It gets back the status that it had (P18).
 */

/** SQL for the columns of a post (`p`) whose retry is stopped. `now` is the parameter with the current time. */
export function stoppedRetryColumns(now: string): string {
  return `status = iif(EXISTS (SELECT 1 FROM post_targets x WHERE x.post_id = p.id AND x.state = 'published'), 'partially_failed', 'failed'),
    paused_reason = NULL, watch_at = NULL, finished_at = ${now}, updated_at = ${now}`;
}

/**
 * Stops the retries of the posts (`p`) that match `where`. `where` uses the parameters, and ?1 as the current time. `change` is the entry
 * for the post's list of changes.
 */
export function stopRetriesStatements(
  db: Db,
  where: string,
  parameters: readonly [now: number, ...others: (string | number)[]],
  { change }: { readonly change: string },
): { readonly targets: D1PreparedStatement; readonly stopped: Statement<{ readonly id: string }> } {
  return {
    targets: db.d1
      .prepare(
        `UPDATE post_targets SET state = 'skipped', next_attempt_at = NULL, updated_at = ?1
      WHERE state IN ${OPEN_STATES_SQL} AND post_id IN (SELECT p.id FROM posts p WHERE ${where} AND ${HAS_PUBLICATION})`,
      )
      .bind(...parameters),
    stopped: db.d1
      .prepare(
        `UPDATE posts AS p SET ${stoppedRetryColumns("?1")}, version = version + 1, changes = ${appendChange(`?${parameters.length + 1}`)}
         WHERE ${where} AND ${HAS_PUBLICATION} RETURNING id`,
      )
      .bind(...parameters, change),
  };
}
