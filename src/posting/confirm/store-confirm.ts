import { HOUR } from "#core/clock.ts";
import type { Actor } from "#core/actor.ts";
import type { Db } from "#db/client.ts";
import { type PostPlan, postIdsOf } from "./post-plan.ts";
import type { PostRow } from "#posting/calendar/post-rows.ts";
import { postsStatement } from "#posting/calendar/store-posts.ts";
import { editWrites, scheduleWrites } from "./store-plan-writes.ts";

/** One try to confirm: the token by its hash, and a nonce that tells our own row from that of another caller. */
export interface Confirmation {
  readonly plan: PostPlan;
  readonly tokenHash: string;
  readonly nonce: string;
}

export type Confirmed =
  | { readonly state: "done"; readonly rows: readonly PostRow[] }
  /** The token made these posts before. */
  | { readonly state: "used"; readonly postIds: readonly string[] }
  /** Something the plan relies on is not as it was previewed; nothing was written. */
  | { readonly state: "stale" };

const RETRYABLE = /Network connection lost|object to be reset|code was updated/i;
const CONSTRAINT = /constraint failed/i;
const STALE = /constraint failed: stale_plan/i;

function issuedHour(plan: PostPlan): number {
  return Math.floor(plan.issuedAt / HOUR);
}

/** Everything a plan writes, in one transaction: all of it, or nothing and the reason. */
export async function commitPlan(db: Db, actor: Actor, confirmation: Confirmation, now: number): Promise<Confirmed> {
  const { plan } = confirmation;
  const made = { confirmHash: confirmation.tokenHash, via: actor.via, now };
  const writes = plan.kind === "schedule" ? scheduleWrites(db, plan, made) : editWrites(db, plan, now);
  const read = postsStatement(db, actor, postIdsOf(plan));
  const batch = [confirmationStatement(db, confirmation), ...writes, read];
  try {
    return done(await runTwice(() => db.d1.batch<PostRow>(batch)));
  } catch (error) {
    const message = String(error);
    if (!CONSTRAINT.test(message)) {
      throw error;
    }
    const [owner, rows] = await db.d1.batch<PostRow & ConfirmationRow>([ownerStatement(db, confirmation), read]);
    const row = owner?.results[0];
    if (row) {
      // Our own nonce: the first run was committed and its answer got lost.
      return row.nonce === confirmation.nonce
        ? { state: "done", rows: rows?.results ?? [] }
        : { state: "used", postIds: JSON.parse(row.post_ids) as string[] };
    }
    if (!STALE.test(message)) {
      throw error;
    }
    return { state: "stale" };
  }
}

function done(results: readonly D1Result<PostRow>[]): Confirmed {
  return { state: "done", rows: results.at(-1)?.results ?? [] };
}

/** A lost answer does not tell whether the batch was committed; running it again does. */
async function runTwice<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!RETRYABLE.test(String(error))) {
      throw error;
    }
    return await run();
  }
}

interface ConfirmationRow {
  readonly nonce: string;
  readonly post_ids: string;
}

function ownerStatement(db: Db, { plan, tokenHash }: Pick<Confirmation, "plan" | "tokenHash">): D1PreparedStatement {
  return db.d1
    .prepare("SELECT nonce, post_ids FROM confirmations WHERE issued_hour = ?1 AND token_hash = ?2 AND user_id = ?3")
    .bind(issuedHour(plan), tokenHash, plan.userId);
}

/** The posts a token made already; null while it is unused. */
export async function findUse(
  db: Db,
  used: Pick<Confirmation, "plan" | "tokenHash">,
): Promise<readonly string[] | null> {
  const row = await ownerStatement(db, used).first<ConfirmationRow>();
  return row ? (JSON.parse(row.post_ids) as string[]) : null;
}

/** What a plan relies on and is still as it was previewed; ?1 to ?5 are bound by `reliedOn`. */
const STILL_GOOD = `SELECT 'account' AS kind, a.id AS id FROM json_each(?3) needed CROSS JOIN accounts a ON a.id = needed.value
    WHERE a.user_id = ?1 AND a.workspace_id = ?2 AND a.status = 'active' AND a.disconnected_at IS NULL
  UNION ALL SELECT 'media', m.id FROM json_each(?4) needed CROSS JOIN media m ON m.id = needed.value
    WHERE m.workspace_id = ?2 AND m.state IN ('ready', 'expiring')
  UNION ALL SELECT 'post', p.id FROM json_each(?5) was CROSS JOIN posts p ON p.id = was.value ->> 0
    WHERE p.user_id = ?1 AND p.workspace_id = ?2 AND p.version = was.value ->> 1 AND p.status = was.value ->> 2`;

function reliedOn(plan: PostPlan): readonly [string, string, string, string, string] {
  const { accountIds, mediaIds } = plan.needs;
  const versions = plan.kind === "schedule" ? [] : plan.posts.map(({ id, version, from }) => [id, version, from]);
  return [
    plan.userId,
    plan.workspaceId,
    JSON.stringify(accountIds),
    JSON.stringify(mediaIds),
    JSON.stringify(versions),
  ];
}

/**
 * Makes the token single-use (by primary key) and the plan all-or-nothing (the CHECK named stale_plan compares what is
 * still good with what has to be).
 */
function confirmationStatement(db: Db, { plan, tokenHash, nonce }: Confirmation): D1PreparedStatement {
  const { accountIds, mediaIds } = plan.needs;
  const expected = accountIds.length + mediaIds.length + (plan.kind === "schedule" ? 0 : plan.posts.length);
  return db.d1
    .prepare(
      `INSERT INTO confirmations (issued_hour, token_hash, user_id, nonce, post_ids, expected, matched)
       VALUES (?6, ?7, ?1, ?8, ?9, ?10, (SELECT count(*) FROM (${STILL_GOOD})))`,
    )
    .bind(...reliedOn(plan), issuedHour(plan), tokenHash, nonce, JSON.stringify(postIdsOf(plan)), expected);
}

/** What is not as it was previewed any more: accounts and media that cannot be used, posts that moved on. */
export interface Lost {
  readonly accountIds: readonly string[];
  readonly mediaIds: readonly string[];
  readonly postIds: readonly string[];
}

export async function findLost(db: Db, plan: PostPlan): Promise<Lost> {
  const { results } = await db.d1
    .prepare(STILL_GOOD)
    .bind(...reliedOn(plan))
    .all<{ kind: string; id: string }>();
  const good = new Set(results.map(({ kind, id }) => `${kind} ${id}`));
  const lost = (kind: string, ids: readonly string[]) => ids.filter((id) => !good.has(`${kind} ${id}`));
  return {
    accountIds: lost("account", plan.needs.accountIds),
    mediaIds: lost("media", plan.needs.mediaIds),
    postIds: plan.kind === "schedule" ? [] : lost("post", postIdsOf(plan)),
  };
}
