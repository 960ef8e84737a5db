import type { Platform } from "#core/platform.ts";
import type { Db } from "#db/client.ts";
import { connectStates } from "#db/schema.ts";

export type StateInsert = Omit<typeof connectStates.$inferInsert, "usedAt">;

export async function insertState(db: Db, state: StateInsert): Promise<void> {
  await db.orm.insert(connectStates).values(state);
}

export interface UsedState {
  readonly userId: string;
  readonly workspaceId: string;
  readonly codeVerifier: string;
}

interface UsedStateRow {
  readonly user_id: string;
  readonly workspace_id: string;
  readonly code_verifier: string;
}

/** Works once: everything that must hold stands in the condition, so of parallel callbacks exactly one gets the row. */
export async function useState(
  db: Db,
  state: {
    readonly hash: string;
    readonly platform: Platform;
    readonly signedInUserId: string | null;
    readonly now: number;
  },
): Promise<UsedState | null> {
  const row = await db.d1
    .prepare(
      `UPDATE connect_states SET used_at = ?3
       WHERE hash = ?1 AND platform = ?2 AND used_at IS NULL AND expires_at > ?3 AND (?4 IS NULL OR user_id = ?4)
       RETURNING user_id, workspace_id, code_verifier`,
    )
    .bind(state.hash, state.platform, state.now, state.signedInUserId)
    .first<UsedStateRow>();
  return row && { userId: row.user_id, workspaceId: row.workspace_id, codeVerifier: row.code_verifier };
}

/** What the plan of a user is, without a credential at hand: a callback or cron is asking. */
export async function selectPlan(db: Db, userId: string): Promise<string | null> {
  const row = await db.d1
    .prepare("SELECT plan FROM subscriptions WHERE user_id = ?1")
    .bind(userId)
    .first<{ plan: string }>();
  return row?.plan ?? null;
}

/** Bounded, so that a long pause of cron cannot make one run endless; says how many went. */
export async function deleteExpiredStates(db: Db, now: number, limit: number): Promise<number> {
  const { meta } = await db.d1
    .prepare(
      "DELETE FROM connect_states WHERE hash IN (SELECT hash FROM connect_states WHERE expires_at <= ?1 LIMIT ?2)",
    )
    .bind(now, limit)
    .run();
  return meta.changes;
}
