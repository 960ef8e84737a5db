import type { Db } from "#db/client.ts";

/** How far the daily archiving of all workspaces has come. */
export interface ArchiveProgress {
  /** The last day (number since 1970, UTC) on which the archiving visited every workspace. */
  readonly day: number;
  /** The last workspace that today's archiving has finished; empty if it has finished none. */
  readonly after: string;
  readonly isHeld: boolean;
}

export async function readProgress(db: Db): Promise<ArchiveProgress> {
  const row = await db.d1
    .prepare("SELECT archived_day AS day, archived_to AS after, held IS NOT NULL AS held FROM service")
    .first<{ day: number; after: string; held: 0 | 1 }>();
  if (row === null) {
    throw new Error("the table service has no row: apply the migrations");
  }
  return { day: row.day, after: row.after, isHeld: row.held === 1 };
}

/** Stores how far the archiving has come, unless a parallel run has come further. */
export async function saveProgress(
  db: Db,
  from: ArchiveProgress,
  to: Pick<ArchiveProgress, "day" | "after">,
): Promise<void> {
  await db.d1
    .prepare("UPDATE service SET archived_day = ?3, archived_to = ?4 WHERE archived_day = ?1 AND archived_to = ?2")
    .bind(from.day, from.after, to.day, to.after)
    .run();
}
