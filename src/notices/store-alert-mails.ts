import type { AlertKind } from "#core/alert.ts";
import { batch, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { NOTICE_COLUMNS, type NoticeRow } from "./store-notice-rows.ts";

/**
 * Selects workspaces that have an unmailed notice and no recent mail. The recursion reads one row of the index
 * `notices_unmailed` for each workspace, however many notices it has.
 */
export async function selectWorkspacesToMail(
  db: Db,
  query: { readonly notSince: number; readonly limit: number },
): Promise<readonly string[]> {
  const { results } = await workspacesToMailStatement(db, query).run<{ id: string }>();
  return results.map(({ id }) => id);
}

export function workspacesToMailStatement(
  db: Db,
  { notSince, limit }: { readonly notSince: number; readonly limit: number },
): D1PreparedStatement {
  return db.d1
    .prepare(
      `WITH RECURSIVE waiting(id) AS (
         SELECT (SELECT min(n.workspace_id) FROM notices n WHERE n.mailed_at IS NULL)
         UNION ALL
         SELECT (SELECT min(n.workspace_id) FROM notices n WHERE n.mailed_at IS NULL AND n.workspace_id > waiting.id)
         FROM waiting WHERE waiting.id IS NOT NULL)
       SELECT w.id AS id FROM waiting CROSS JOIN workspaces w ON w.id = waiting.id
       WHERE coalesce(w.alerts_mailed_at, 0) <= ?1 LIMIT ?2`,
    )
    .bind(notSince, limit);
}

export interface AlertRecipient {
  readonly email: string;
  /** Whether the user has verified the e-mail address. Other addresses get no mail. */
  readonly isVerified: boolean;
  readonly timeZone: string;
  readonly muted: readonly AlertKind[];
  readonly workspaceName: string;
  /** Whether the workspace is the user's active one. Pages linked in the mail show only that one. */
  readonly isActiveWorkspace: boolean;
}

export interface UnmailedNoticeRow extends NoticeRow {
  readonly dismissed_at: number | null;
}

interface RecipientRow {
  readonly email: string;
  readonly email_verified_at: number | null;
  readonly time_zone: string;
  readonly muted_alerts: string;
  readonly workspace_name: string;
  readonly is_active: number;
}

export interface ClaimedMail {
  readonly recipient: AlertRecipient;
  /** The unmailed notices, oldest first. */
  readonly rows: readonly UnmailedNoticeRow[];
}

interface Claim {
  readonly workspaceId: string;
  readonly now: number;
  readonly notSince: number;
  readonly limit: number;
}

export function claimStatements(db: Db, { workspaceId, now, notSince, limit }: Claim) {
  return {
    claimed: db.d1
      .prepare(
        "UPDATE workspaces SET alerts_mailed_at = ?2 WHERE id = ?1 AND coalesce(alerts_mailed_at, 0) <= ?3 RETURNING id",
      )
      .bind(workspaceId, now, notSince),
    recipients: withRows<RecipientRow>(
      db.d1
        .prepare(
          `SELECT u.email AS email, u.email_verified_at AS email_verified_at, u.time_zone AS time_zone, u.muted_alerts AS muted_alerts,
           w.name AS workspace_name, u.active_workspace_id = w.id AS is_active
         FROM workspaces w CROSS JOIN users u ON u.id = w.user_id WHERE w.id = ?1`,
        )
        .bind(workspaceId),
    ),
    notices: withRows<UnmailedNoticeRow>(
      db.d1
        .prepare(
          `SELECT ${NOTICE_COLUMNS}, n.dismissed_at AS dismissed_at FROM notices n
         WHERE n.workspace_id = ?1 AND n.mailed_at IS NULL ORDER BY n.at LIMIT ?2`,
        )
        .bind(workspaceId, limit),
    ),
  };
}

/** Claims the next mail of a workspace for one caller. Null if another mail was sent or begun a short time ago. */
export async function claimAlertMail(db: Db, claim: Claim): Promise<ClaimedMail | null> {
  const { claimed, recipients, notices } = await batch(db, claimStatements(db, claim));
  const [recipient] = recipients.results;
  if (claimed.results.length !== 1 || recipient === undefined) {
    return null;
  }
  return {
    recipient: {
      email: recipient.email,
      isVerified: recipient.email_verified_at !== null,
      timeZone: recipient.time_zone,
      muted: JSON.parse(recipient.muted_alerts) as AlertKind[],
      workspaceName: recipient.workspace_name,
      isActiveWorkspace: recipient.is_active === 1,
    },
    rows: notices.results,
  };
}

interface Mailed {
  readonly workspaceId: string;
  readonly rows: readonly NoticeRow[];
  readonly now: number;
  /** Whether a mail was sent. False if all notices were skipped, so that the next notice need not wait. */
  readonly isSent: boolean;
}

/**
 * Marks the notices of a mail as mailed. A newer notice of the same subject has another time and waits for its own
 * mail.
 */
export function mailedStatements(db: Db, { workspaceId, rows, now, isSent }: Mailed): D1PreparedStatement[] {
  const read = rows.map(({ kind, subject_id: subjectId, at }) => ({ kind, subjectId, at }));
  return [
    db.d1
      .prepare(
        `UPDATE notices SET mailed_at = ?3 FROM json_each(?2) j
         WHERE notices.workspace_id = ?1 AND notices.kind = j.value ->> '$.kind' AND notices.subject_id = j.value ->> '$.subjectId'
           AND notices.at = j.value ->> '$.at'`,
      )
      .bind(workspaceId, JSON.stringify(read), now),
    ...(isSent ? [] : [db.d1.prepare("UPDATE workspaces SET alerts_mailed_at = NULL WHERE id = ?1").bind(workspaceId)]),
  ];
}

export async function markMailed(db: Db, mailed: Mailed): Promise<void> {
  await db.d1.batch(mailedStatements(db, mailed));
}
