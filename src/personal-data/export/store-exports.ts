import type { Db } from "#db/client.ts";
import type { ExportFile } from "./plan-files.ts";

export interface DataExport {
  readonly id: string;
  readonly userId: string;
  readonly sessionHash: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly files: readonly ExportFile[];
}

/** Stores an export, which replaces the user's previous one. */
export async function saveExport(db: Db, { files, ...row }: DataExport): Promise<void> {
  await db.d1
    .prepare(
      `INSERT INTO data_exports (user_id, id, session_hash, created_at, expires_at, files) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
       ON CONFLICT (user_id) DO UPDATE SET id = ?2, session_hash = ?3, created_at = ?4, expires_at = ?5, files = ?6`,
    )
    .bind(row.userId, row.id, row.sessionHash, row.createdAt, row.expiresAt, JSON.stringify(files))
    .run();
}

/** Finds the export that a session may download now. Null if there is none, and for every other browser. */
export async function findExport(
  db: Db,
  { userId, sessionHash, now }: { readonly userId: string; readonly sessionHash: string; readonly now: number },
): Promise<DataExport | null> {
  const row = await db.d1
    .prepare(
      `SELECT id, user_id AS userId, session_hash AS sessionHash, created_at AS createdAt, expires_at AS expiresAt, files FROM data_exports
       WHERE user_id = ?1 AND session_hash = ?2 AND expires_at > ?3`,
    )
    .bind(userId, sessionHash, now)
    .first<Omit<DataExport, "files"> & { readonly files: string }>();
  return row && { ...row, files: JSON.parse(row.files) as ExportFile[] };
}

export async function deleteExpiredExports(db: Db, now: number, limit: number): Promise<number> {
  const { meta } = await db.d1
    .prepare(
      "DELETE FROM data_exports WHERE user_id IN (SELECT user_id FROM data_exports WHERE expires_at <= ?1 LIMIT ?2)",
    )
    .bind(now, limit)
    .run();
  return meta.changes;
}
