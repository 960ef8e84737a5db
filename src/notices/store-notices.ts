import type { Actor } from "#core/actor.ts";
import type { AlertKind } from "#core/alert.ts";
import type { Db } from "#db/client.ts";
import { NOTICE_COLUMNS, type NoticeRow } from "./store-notice-rows.ts";

/** Selects the notices that are not dismissed, newest first. They are a range of the index `notices_open`. */
export async function selectNotices(db: Db, actor: Actor, limit: number): Promise<readonly NoticeRow[]> {
  const { results } = await db.d1
    .prepare(
      `SELECT ${NOTICE_COLUMNS} FROM notices n WHERE n.workspace_id = ?1 AND n.dismissed_at IS NULL
       ORDER BY n.at DESC LIMIT ?2`,
    )
    .bind(actor.workspaceId, limit)
    .all<NoticeRow>();
  return results;
}

export interface NoticeReference {
  readonly kind: AlertKind;
  readonly subjectId: string;
  readonly at: number;
}

/** Dismisses the notice that the user saw. A newer notice of the same subject stays. */
export async function setDismissed(db: Db, actor: Actor, notice: NoticeReference, now: number): Promise<void> {
  await db.d1
    .prepare(
      `UPDATE notices SET dismissed_at = ?5
       WHERE workspace_id = ?1 AND kind = ?2 AND subject_id = ?3 AND at = ?4 AND dismissed_at IS NULL`,
    )
    .bind(actor.workspaceId, notice.kind, notice.subjectId, notice.at, now)
    .run();
}

export async function selectMutedAlerts(db: Db, actor: Pick<Actor, "userId">): Promise<readonly AlertKind[]> {
  const muted = await db.d1
    .prepare("SELECT muted_alerts FROM users WHERE id = ?1")
    .bind(actor.userId)
    .first<string>("muted_alerts");
  return JSON.parse(muted ?? "[]") as AlertKind[];
}

export async function updateMutedAlerts(
  db: Db,
  actor: Pick<Actor, "userId">,
  kinds: readonly AlertKind[],
): Promise<void> {
  await db.d1
    .prepare("UPDATE users SET muted_alerts = ?2 WHERE id = ?1")
    .bind(actor.userId, JSON.stringify(kinds))
    .run();
}
