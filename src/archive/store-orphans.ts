import { batch, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";

/** Workspaces with `after` < id <= `to`. A null `to` means all workspaces after `after`. */
export interface WorkspaceRange {
  readonly after: string;
  readonly to: string | null;
}

export async function selectPartIds(db: Db, { after, to }: WorkspaceRange): Promise<ReadonlySet<string>> {
  const { results } = await db.d1
    .prepare("SELECT id FROM archive_parts WHERE workspace_id > ?1 AND (?2 IS NULL OR workspace_id <= ?2)")
    .bind(after, to)
    .all<{ id: string }>();
  return new Set(results.map(({ id }) => id));
}

/**
 * Records since when each of these files has had no row in the index, and forgets all other files. Returns the files
 * that had none already at `before`.
 */
export async function markOrphans(
  db: Db,
  keys: readonly string[],
  indexedKeys: readonly string[],
  { now, before }: { readonly now: number; readonly before: number },
): Promise<string[]> {
  const orphans = JSON.stringify(keys);
  const { old } = await batch(db, {
    seen: db.d1
      .prepare(
        "INSERT INTO archive_orphans (key, seen_at) SELECT value, ?2 FROM json_each(?1) WHERE true ON CONFLICT DO NOTHING",
      )
      .bind(orphans, now),
    indexed: db.d1
      .prepare("DELETE FROM archive_orphans WHERE key IN (SELECT value FROM json_each(?1))")
      .bind(JSON.stringify(indexedKeys)),
    old: withRows<{ key: string }>(
      db.d1
        .prepare(
          "SELECT o.key AS key FROM json_each(?1) j CROSS JOIN archive_orphans o ON o.key = j.value WHERE o.seen_at < ?2",
        )
        .bind(orphans, before),
    ),
  });
  return old.results.map(({ key }) => key);
}

export async function forgetOrphans(db: Db, keys: readonly string[]): Promise<void> {
  await db.d1
    .prepare("DELETE FROM archive_orphans WHERE key IN (SELECT value FROM json_each(?1))")
    .bind(JSON.stringify(keys))
    .run();
}
