import { batch, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";

export interface WebhookOfUser {
  readonly id: string;
  readonly url: string;
}

export interface FeedOfUser {
  readonly id: string;
  readonly workspaceName: string;
  readonly createdAt: number;
}

/**
 * What shows posts to others without a credential: the user's enabled webhooks and calendar feeds, in all workspaces.
 */
export async function selectOutlets(
  db: Db,
  userId: string,
): Promise<{ readonly webhooks: readonly WebhookOfUser[]; readonly feeds: readonly FeedOfUser[] }> {
  const { webhooks, feeds } = await batch(db, {
    webhooks: withRows<WebhookOfUser>(
      db.d1
        .prepare(
          `SELECT w.id AS id, w.url AS url FROM workspaces o JOIN webhooks w ON w.workspace_id = o.id
         WHERE o.user_id = ?1 AND w.disabled_at IS NULL ORDER BY w.created_at, w.id`,
        )
        .bind(userId),
    ),
    feeds: withRows<FeedOfUser>(
      db.d1
        .prepare(
          `SELECT f.hash AS id, o.name AS workspaceName, f.created_at AS createdAt FROM workspaces o
         JOIN calendar_feeds f ON f.workspace_id = o.id WHERE o.user_id = ?1 ORDER BY f.created_at, f.hash`,
        )
        .bind(userId),
    ),
  });
  return { webhooks: webhooks.results, feeds: feeds.results };
}
