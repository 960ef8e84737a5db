import type { Platform } from "#core/platform.ts";
import type { Db } from "#db/client.ts";
import { connectStates } from "#db/schema.ts";

export type StateInsert = Omit<typeof connectStates.$inferInsert, "usedAt">;

export async function insertState(db: Db, state: StateInsert): Promise<void> {
  await db.orm.insert(connectStates).values(state);
}

export interface ConsumedState {
  readonly userId: string;
  readonly workspaceId: string;
  readonly codeVerifier: string;
}

interface ConsumedStateRow {
  readonly user_id: string;
  readonly workspace_id: string;
  readonly code_verifier: string;
}

/** Succeeds once: every condition is part of the update, so exactly one of several parallel callbacks gets the row. */
export async function consumeState(
  db: Db,
  state: {
    readonly hash: string;
    readonly platform: Platform;
    readonly signedInUserId: string | null;
    readonly now: number;
  },
): Promise<ConsumedState | null> {
  const row = await db.d1
    .prepare(
      `UPDATE connect_states SET used_at = ?3
       WHERE hash = ?1 AND platform = ?2 AND used_at IS NULL AND expires_at > ?3 AND (?4 IS NULL OR user_id = ?4)
       RETURNING user_id, workspace_id, code_verifier`,
    )
    .bind(state.hash, state.platform, state.now, state.signedInUserId)
    .first<ConsumedStateRow>();
  return row && { userId: row.user_id, workspaceId: row.workspace_id, codeVerifier: row.code_verifier };
}

/** Bounded, so that the first run after an outage of cron stays short; returns how many were deleted. */
export async function deleteExpiredStates(db: Db, now: number, limit: number): Promise<number> {
  const { meta } = await db.d1
    .prepare(
      "DELETE FROM connect_states WHERE hash IN (SELECT hash FROM connect_states WHERE expires_at <= ?1 LIMIT ?2)",
    )
    .bind(now, limit)
    .run();
  return meta.changes;
}
