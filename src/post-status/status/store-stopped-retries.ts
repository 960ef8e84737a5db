import type { Statement } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { appendChange } from "#posts/rows/change-record.ts";
import { OPEN_STATES_SQL } from "#posts/rows/state-machine.ts";
import { HAS_PUBLICATION } from "#posts/rows/store-target-status.ts";

/* Stops the retry of a failed post that was edited to a new time (P16). It may already be published on some
   accounts, so it must not be cancelled or paused, which would hide it from every list. It gets back its earlier
   status (P18). */

/** SQL for the columns of a post (`p`) whose retry is stopped. `now` is the parameter with the present time. */
export function stoppedRetryColumns(now: string): string {
  return `status = iif(EXISTS (SELECT 1 FROM post_targets x WHERE x.post_id = p.id AND x.state = 'published'), 'partially_failed', 'failed'),
    paused_reason = NULL, watch_at = NULL, finished_at = ${now}, updated_at = ${now}`;
}

/**
 * Statements that stop the retries of posts (`p`) that match `where`. It uses `parameters`, and ?1 for the present
 * time. `change` is the entry for the post's list of changes.
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
