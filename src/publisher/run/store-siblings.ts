import { DAY, MINUTE } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import type { Db } from "#db/client.ts";
import type { SiblingTarget } from "#platforms/contract.ts";

/** How long (ms) after its due time a target may be sent (`RATE_LIMIT_DEADLINE_MS`). */
const SENT_UNTIL_MS = DAY;
/** How much (ms) a platform's clock may differ from this service's. */
const CLOCK_TOLERANCE_MS = 2 * MINUTE;
const MAX_SIBLINGS = 1000;

interface SiblingRow {
  readonly remoteId: string | null;
  readonly caption: string;
  readonly progress: string | null;
}

/**
 * Selects other targets of the account that may have published since this target's visible call: all that were due,
 * except those whose row proves the opposite. Rows lag behind journals, so a state such as "pending" proves nothing.
 */
export async function selectSiblings(
  db: Db,
  target: {
    readonly postId: string;
    readonly accountId: string;
    readonly committedAt: number | null;
    readonly now: number;
  },
): Promise<readonly SiblingTarget[]> {
  const since = (target.committedAt ?? target.now) - CLOCK_TOLERANCE_MS;
  const { results } = await db.d1
    .prepare(
      `SELECT t.remote_id AS remoteId, t.effective_caption AS caption, t.progress AS progress
       FROM post_targets t JOIN posts p ON p.id = t.post_id
       WHERE t.account_id = ?1 AND t.due_at BETWEEN ?2 AND ?3 AND t.post_id <> ?4
         AND p.status NOT IN ('cancelled', 'paused') AND t.state <> 'skipped'
         AND (t.state <> 'failed' OR t.progress IS NOT NULL)
         AND (t.published_at IS NULL OR t.published_at >= ?5)
       ORDER BY t.due_at DESC LIMIT ?6`,
    )
    .bind(target.accountId, since - SENT_UNTIL_MS, target.now, target.postId, since, MAX_SIBLINGS)
    .all<SiblingRow>();
  return results.map(({ remoteId, caption, progress }) => ({
    remoteId,
    caption,
    progress: progress === null ? null : (JSON.parse(progress) as JsonValue),
  }));
}
