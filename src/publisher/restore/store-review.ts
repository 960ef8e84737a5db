import type { PostStatus } from "#core/status.ts";
import type { Db } from "#db/client.ts";
import { type OutdatedPost, setAsideStatements } from "./store-set-aside.ts";

export interface OpenPost {
  readonly id: string;
  readonly version: number;
  readonly status: PostStatus;
  readonly scheduledAt: number;
  readonly runId: string | null;
}

/**
 * Selects the next posts that could still be published, by id. The unary plus keeps SQLite from using the index on
 * `watch_at`.
 */
export async function selectPostsToReview(db: Db, limit: number): Promise<OpenPost[]> {
  const { results } = await db.d1
    .prepare(
      `SELECT id, version, status, scheduled_at AS scheduledAt, run_id AS runId FROM posts
       WHERE id > (SELECT reviewed_to FROM service) AND +watch_at IS NOT NULL ORDER BY id LIMIT ?`,
    )
    .bind(limit)
    .all<OpenPost>();
  return results;
}

/** Stores the decisions and the progress of the review in one transaction. */
export async function recordReview(
  db: Db,
  { outdated, reviewedTo, now }: { outdated: readonly OutdatedPost[]; reviewedTo: string | undefined; now: number },
): Promise<void> {
  const statements = [
    ...(outdated.length > 0 ? setAsideStatements(db, outdated, now) : []),
    ...(reviewedTo === undefined
      ? []
      : [db.d1.prepare("UPDATE service SET reviewed_to = ? WHERE held = 'reviewing'").bind(reviewedTo)]),
  ];
  if (statements.length > 0) {
    await db.d1.batch(statements);
  }
}
