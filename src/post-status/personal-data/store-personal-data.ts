import { batch, type StatementResult, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";

/** SQL for the targets of accounts. ?1 is the JSON list of account ids. */
const OF_ACCOUNTS = "account_id IN (SELECT value FROM json_each(?1))";

/** Whether a post with a target of these accounts is publishing. The publisher still needs the ids. */
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

/**
 * Statements that erase from targets what the platform said about a person. Whether and when a target was published
 * stays.
 */
export function eraseTargetsStatements(db: Db, accountIds: readonly string[], now: number): D1PreparedStatement[] {
  return [
    db.d1
      .prepare(
        `UPDATE post_targets SET username = 'deleted', remote_id = NULL, remote_url = NULL, progress = NULL, extras = NULL, history = '[]', updated_at = ?2
         WHERE ${OF_ACCOUNTS}`,
      )
      .bind(JSON.stringify(accountIds), now),
  ];
}

/** SQL for events about the accounts (?1) and about posts with a target of them. ?2 is the list of their workspaces. */
const EVENTS_OF_ACCOUNTS = `e.workspace_id IN (SELECT value FROM json_each(?2)) AND (
  e.subject_id IN (SELECT value FROM json_each(?1))
  OR EXISTS (SELECT 1 FROM post_targets t WHERE t.post_id = e.subject_id AND t.${OF_ACCOUNTS}))`;

/**
 * Where copies of erased data are: the posts and accounts that events describe, and the webhooks that got the events.
 */
export interface RecordedCopies {
  readonly subjectIds: readonly string[];
  readonly webhookIds: readonly string[];
}

export async function findRecordedCopies(
  db: Db,
  accountIds: readonly string[],
  workspaceIds: readonly string[],
): Promise<RecordedCopies> {
  const workspaces = JSON.stringify(workspaceIds);
  const { subjects, webhooks } = await batch(db, {
    subjects: withRows<{ id: string }>(
      db.d1
        .prepare(`SELECT DISTINCT e.subject_id AS id FROM events e WHERE ${EVENTS_OF_ACCOUNTS}`)
        .bind(JSON.stringify(accountIds), workspaces),
    ),
    webhooks: withRows<{ id: string }>(
      db.d1.prepare("SELECT id FROM webhooks WHERE workspace_id IN (SELECT value FROM json_each(?))").bind(workspaces),
    ),
  });
  const idsOf = ({ results }: StatementResult<{ id: string }>) => results.map(({ id }) => id);
  return { subjectIds: idsOf(subjects), webhookIds: idsOf(webhooks) };
}

/**
 * A statement that reduces the data of events to ids. The events stay, because readers rely on their sequence numbers.
 */
export function eraseEventsStatement(
  db: Db,
  accountIds: readonly string[],
  workspaceIds: readonly string[],
): D1PreparedStatement {
  return db.d1
    .prepare(
      `UPDATE events AS e SET data = json_object('erased', iif(e.type LIKE 'account.%',
         json_object('postId', NULL, 'accountId', e.subject_id),
         json_object('postId', e.subject_id, 'accountId', e.data ->> 'accountId')))
       WHERE ${EVENTS_OF_ACCOUNTS} AND e.data ->> 'erased' IS NULL`,
    )
    .bind(JSON.stringify(accountIds), JSON.stringify(workspaceIds));
}
