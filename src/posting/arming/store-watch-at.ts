import type { Db } from "#db/client.ts";

/**
 * The objects are awake in time: the reconciler need not look before the post is overdue. Only for the version that was
 * armed. A post under way keeps the watch its publisher set unless that has passed.
 */
export async function acknowledge(
  db: Db,
  posts: readonly { readonly id: string; readonly version: number }[],
  { now, graceMs }: { readonly now: number; readonly graceMs: number },
): Promise<void> {
  await db.d1
    .prepare(
      `UPDATE posts SET watch_at = max(posts.scheduled_at, ?2) + ?3 FROM json_each(?1) AS armed
       WHERE posts.id = armed.value ->> 0 AND posts.version = armed.value ->> 1
         AND (posts.status = 'scheduled' OR (posts.status = 'publishing' AND posts.watch_at <= ?2))`,
    )
    .bind(JSON.stringify(posts.map(({ id, version }) => [id, version])), now, graceMs)
    .run();
}
