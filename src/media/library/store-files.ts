import type { Db } from "#db/client.ts";

export interface StoredFile {
  readonly id: string;
  readonly filename: string;
  readonly createdAt: number;
  readonly sha256: string;
  readonly sizeBytes: number;
}

/**
 * Selects the stored files of a workspace by hash, after `after` up to and including `to`. A workspace has each hash
 * once.
 */
export async function selectFiles(
  db: Db,
  workspaceId: string,
  { after, to, limit }: { readonly after: string | null; readonly to: string | null; readonly limit: number },
): Promise<readonly StoredFile[]> {
  const { results } = await db.d1
    .prepare(
      `SELECT id, filename, created_at AS createdAt, sha256, size_bytes AS sizeBytes FROM media
       WHERE workspace_id = ?1 AND sha256 IS NOT NULL AND sha256 > ?2 AND (?3 IS NULL OR sha256 <= ?3)
         AND state IN ('ready', 'expiring') ORDER BY sha256 LIMIT ?4`,
    )
    .bind(workspaceId, after ?? "", to, limit)
    .all<StoredFile>();
  return results;
}
