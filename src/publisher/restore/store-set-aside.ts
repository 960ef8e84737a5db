import type { Db } from "#db/client.ts";
import { appendChange, changeByService } from "#posts/rows/change-record.ts";
import { stopRetriesStatements } from "#post-status/status/store-stopped-retries.ts";
import { HAS_PUBLICATION } from "#posts/rows/store-target-status.ts";

/** A post whose row is older than what its object knows, or whose object is gone. */
export interface OutdatedPost {
  readonly id: string;
  /** The version in the row: a newer one is left alone. */
  readonly version: number;
  /** The highest version known anywhere; the row gets a higher one, so that edits and hints count from there. */
  readonly knownVersion: number;
  /** True: its time has passed, so its targets are looked for at their platforms and never sent. False: it is paused. */
  readonly lookUp: boolean;
  /** The id of the run that looks them up; no object has it, so whichever object wakes takes the run over. */
  readonly runId: string;
}

/** Nothing that these statements touch is sent by itself any more. */
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
    ...stopRetriesStatements(db, isPaused, [now, ids(false)], {
      change: changeByService({ at: now, what: "retry_stopped", reason: "restored" }),
    }),
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
