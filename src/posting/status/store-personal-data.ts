import type { Db } from "#db/client.ts";

/** Targets (`t`) of the accounts; ?1 is the JSON list of account ids. */
const OF_ACCOUNTS = "account_id IN (SELECT value FROM json_each(?1))";

/** Whether a post that has a target of these accounts is being published: its run still needs the ids. */
export async function hasTargetInProgress(db: Db, accountIds: readonly string[]): Promise<boolean> {
  const row = await db.d1
    .prepare(
      `SELECT 1 FROM post_targets t JOIN posts p ON p.id = t.post_id
       WHERE t.${OF_ACCOUNTS} AND p.status = 'publishing' LIMIT 1`,
    )
    .bind(JSON.stringify(accountIds))
    .first();
  return row !== null;
}

/** Erases what targets hold of the platform's data about a person; that and when they were published stays. */
export function eraseTargetsStatements(db: Db, accountIds: readonly string[], now: number): D1PreparedStatement[] {
  return [
    db.d1
      .prepare(
        `UPDATE post_targets SET username = 'deleted', remote_id = NULL, remote_url = NULL, progress = NULL, history = '[]', updated_at = ?2
         WHERE ${OF_ACCOUNTS}`,
      )
      .bind(JSON.stringify(accountIds), now),
  ];
}
