import type { Actor } from "#core/actor.ts";
import type { Platform } from "#core/platform.ts";
import type { Db } from "#db/client.ts";

export interface NeighbourRow {
  readonly account_id: string;
  readonly due_at: number;
}

/** More than any platform's cap asks for. */
const MAX_NEIGHBOURS = 2000;

/** By index on account and time; a cancelled or paused post takes nobody's place. */
const NEIGHBOURS = `SELECT DISTINCT t.post_id AS post_id, t.account_id AS account_id, t.due_at AS due_at
  FROM wanted w
  CROSS JOIN post_targets t ON t.account_id = w.account_id AND t.due_at > w.at - ?5 AND t.due_at < w.at + ?5
  CROSS JOIN posts p ON p.id = t.post_id
  WHERE t.state NOT IN ('failed', 'skipped') AND p.status NOT IN ('cancelled', 'paused')`;

/** The chosen accounts, as the preview's other statement chooses them. */
const CHOSEN = `a.user_id = ?1 AND a.workspace_id = ?2 AND a.disconnected_at IS NULL
  AND (a.id IN (SELECT value FROM json_each(?3)) OR a.platform IN (SELECT value FROM json_each(?4)))`;

export interface Lookup {
  readonly ids: readonly string[];
  readonly platforms: readonly Platform[];
}

/** When the chosen accounts post within a window around `at`. */
export function neighboursStatement(
  db: Db,
  actor: Actor,
  lookup: Lookup,
  at: number,
  windowMs: number,
): D1PreparedStatement {
  return db.d1
    .prepare(
      `WITH wanted AS (SELECT a.id AS account_id, ?6 AS at FROM accounts a WHERE ${CHOSEN})
       ${NEIGHBOURS} LIMIT ${MAX_NEIGHBOURS}`,
    )
    .bind(actor.userId, actor.workspaceId, JSON.stringify(lookup.ids), JSON.stringify(lookup.platforms), windowMs, at);
}

export interface Retiming {
  readonly postIds: readonly string[];
  /** The new time of all of them; null keeps each one's own and adds `shiftMs`. */
  readonly scheduledAt: number | null;
  readonly shiftMs: number;
}

/** The same around every post of an edit, at its new time, for its own accounts and the newly chosen ones. */
export function editNeighboursStatement(
  db: Db,
  actor: Actor,
  lookup: Lookup,
  retiming: Retiming,
  windowMs: number,
): D1PreparedStatement {
  return db.d1
    .prepare(
      `WITH moved AS (
         SELECT p.id AS id, coalesce(?6, p.scheduled_at + ?7) AS at
         FROM json_each(?8) wanted CROSS JOIN posts p ON p.id = wanted.value
         WHERE p.user_id = ?1 AND p.workspace_id = ?2),
       wanted AS (
         SELECT t.account_id AS account_id, m.at AS at FROM moved m CROSS JOIN post_targets t ON t.post_id = m.id
         UNION SELECT a.id, m.at FROM moved m CROSS JOIN accounts a WHERE ${CHOSEN})
       ${NEIGHBOURS} AND p.id NOT IN (SELECT value FROM json_each(?8)) LIMIT ${MAX_NEIGHBOURS}`,
    )
    .bind(
      actor.userId,
      actor.workspaceId,
      JSON.stringify(lookup.ids),
      JSON.stringify(lookup.platforms),
      windowMs,
      retiming.scheduledAt,
      retiming.shiftMs,
      JSON.stringify(retiming.postIds),
    );
}

/** The due times of each account. */
export function byAccount(rows: readonly NeighbourRow[]): Map<string, number[]> {
  const times = new Map<string, number[]>();
  for (const { account_id: accountId, due_at: dueAt } of rows) {
    times.set(accountId, [...(times.get(accountId) ?? []), dueAt]);
  }
  return times;
}
