import type { PostStatus } from "#core/status.ts";
import { batch, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";

type Column = string | number | null;

/** A post with its targets, as rows with all columns, in the form that the archive has. */
export interface WholePost {
  readonly post: { readonly id: string; readonly scheduled_at: number; readonly [column: string]: Column };
  readonly targets: readonly { readonly post_id: string; readonly [column: string]: Column }[];
  readonly annotations?: Readonly<Record<string, Column>>;
}

export interface PostPosition {
  readonly scheduledAt: number;
  readonly id: string;
}

/** Selects the posts of one status after a position, ordered by time and id. */
export async function selectWholePosts(
  db: Db,
  {
    workspaceId,
    status,
    after,
    until,
    limit,
  }: {
    readonly workspaceId: string;
    readonly status: PostStatus;
    readonly after: PostPosition;
    readonly until: number | null;
    readonly limit: number;
  },
): Promise<readonly WholePost[]> {
  const { results: posts } = await db.d1
    .prepare(
      `SELECT * FROM posts WHERE workspace_id = ?1 AND status = ?2 AND (scheduled_at, id) > (?3, ?4)
         AND (?5 IS NULL OR scheduled_at < ?5) ORDER BY scheduled_at, id LIMIT ?6`,
    )
    .bind(workspaceId, status, after.scheduledAt, after.id, until, limit)
    .all<WholePost["post"]>();
  if (posts.length === 0) {
    return [];
  }
  const ids = JSON.stringify(posts.map(({ id }) => id));
  const { targets, annotations } = await batch(db, {
    targets: withRows<WholePost["targets"][number]>(
      db.d1
        .prepare(
          `SELECT t.* FROM json_each(?1) j CROSS JOIN post_targets t ON t.post_id = j.value ORDER BY j.key, t.position, t.account_id`,
        )
        .bind(ids),
    ),
    annotations: withRows<NonNullable<WholePost["annotations"]>>(
      db.d1
        .prepare(
          `SELECT a.* FROM json_each(?1) j CROSS JOIN post_annotations a ON a.workspace_id = ?2 AND a.post_id = j.value`,
        )
        .bind(ids, workspaceId),
    ),
  });
  const targetsOf = Map.groupBy(targets.results, (target) => target.post_id);
  const annotationsOf = new Map(annotations.results.map((row) => [row["post_id"], row]));
  return posts.map((post) => {
    const noted = annotationsOf.get(post.id);
    return { post, targets: targetsOf.get(post.id) ?? [], ...(noted !== undefined && { annotations: noted }) };
  });
}

/** Selects the days on which the workspace has posts, and how many. Cancelled posts are not counted. */
export async function selectCountedDays(
  db: Db,
  workspaceId: string,
): Promise<readonly { readonly day: number; readonly posts: number }[]> {
  const { results } = await db.d1
    .prepare(
      `SELECT day, scheduled + publishing + published + partially_failed + failed + paused AS posts FROM post_days
       WHERE workspace_id = ? ORDER BY day`,
    )
    .bind(workspaceId)
    .all<{ day: number; posts: number }>();
  return results;
}
