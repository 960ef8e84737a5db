import type { Db } from "#db/client.ts";
import { appendChange, changeByService } from "#posts/rows/change-record.ts";
import { stopRetriesStatements } from "#post-status/status/store-stopped-retries.ts";
import { HAS_PUBLICATION } from "#posts/rows/store-target-status.ts";

/** A post whose row is older than its Durable Object knows, or whose object is gone. */
export interface OutdatedPost {
  readonly id: string;
  /** The version in the row. A row that has become newer is not changed. */
  readonly version: number;
  /** The highest known version. The row gets a higher one, so that later edits and hints count. */
  readonly knownVersion: number;
  /**
   * True if the post's time has passed: a run then looks for its targets at their platforms and never sends them.
   * False: the post is paused.
   */
  readonly lookUp: boolean;
  /**
   * The id of the run that looks the targets up. No object has it, so the post's object takes the run over when it
   * wakes.
   */
  readonly runId: string;
}

/** Statements after which the service sends none of the posts until a user acts. */
export function setAsideStatements(db: Db, posts: readonly OutdatedPost[], now: number): D1PreparedStatement[] {
  const ids = (lookUp: boolean) =>
    JSON.stringify(
      posts.flatMap((post) =>
        post.lookUp === lookUp ? [[post.id, post.version, post.knownVersion, post.runId] as const] : [],
      ),
    );
  const isPaused =
    "p.status = 'scheduled' AND (p.id, p.version) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?2))";
  return [
    db.d1
      .prepare(
        `UPDATE posts AS p SET status = 'publishing', paused_reason = 'restored', run_id = j.value ->> 3, watch_at = ?1, updated_at = ?1,
           version = max(p.version, j.value ->> 2) + 1
         FROM json_each(?2) AS j
         WHERE p.id = j.value ->> 0 AND p.version = j.value ->> 1 AND p.status IN ('scheduled', 'publishing')`,
      )
      .bind(now, ids(true)),
    ...Object.values(
      stopRetriesStatements(db, isPaused, [now, ids(false)], {
        change: changeByService({ at: now, what: "retry_stopped", reason: "restored" }),
      }),
    ),
    db.d1
      .prepare(
        `UPDATE posts AS p SET status = 'paused', paused_reason = 'restored', watch_at = NULL, updated_at = ?1,
           version = max(p.version, j.value ->> 2) + 1,
           changes = ${appendChange("?3", "max(p.version, j.value ->> 2) + 1")}
         FROM json_each(?2) AS j
         WHERE p.id = j.value ->> 0 AND p.version = j.value ->> 1 AND p.status = 'scheduled' AND NOT ${HAS_PUBLICATION}`,
      )
      .bind(now, ids(false), changeByService({ at: now, what: "paused", reason: "restored" })),
  ];
}
