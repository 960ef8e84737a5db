import { HOUR } from "#core/clock.ts";
import { sha256Hex } from "#core/encoding.ts";
import type { Author } from "#core/actor.ts";
import type { CreatedVia } from "#core/status.ts";
import { batch, type StatementResult, type Statement, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { failUnless } from "#db/conditional.ts";
import { isConstraintViolation, isLostResponse, isStalePlan, STALE_PLAN } from "#db/errors.ts";
import { CONFIRMATION_RETENTION_MS, type TokenKey } from "#confirming/token/confirmation-token.ts";
import { scheduledPostsOf } from "#quotas/index.ts";
import {
  approvalByTokenStatement,
  approvedStatement,
  isPending,
  readApproval,
  type StoredApproval,
} from "#confirming/requests/store-approvals.ts";
import { type PostPlan, postIdsOf, type TimedPlan } from "#planning/plan/post-plan.ts";
import type { PostRow } from "#posts/rows/store-post-rows.ts";
import { postsStatement } from "#posts/rows/store-posts-by-id.ts";
import { freeSlotsSql, type SlotsOfPosts } from "#planning/slots/store-free-slots.ts";
import { bulkStatements } from "./store-bulk-statements.ts";
import { editStatements, type PlanStatements, type PostOrigin, scheduleStatements } from "./store-plan-statements.ts";

/** One call of confirm; its nonce distinguishes its own row from that of a concurrent call. */
export interface ConfirmAttempt {
  readonly plan: TimedPlan;
  readonly tokenHash: string;
  readonly nonce: string;
  /** Whose posts they are. */
  readonly via: CreatedVia;
  readonly by: Author | null;
  readonly scheduledPostsLimit: number;
  /** The approval that the plan waited for; it must be pending, and is approved together with the plan. */
  readonly approvalId?: string;
}

export interface CommittedPlan {
  /** Of many new posts none is read. */
  readonly rows: readonly PostRow[];
}

export type ConfirmResult =
  | (CommittedPlan & { readonly state: "committed" })
  | { readonly state: "used"; readonly postIds: readonly string[] }
  /** A dependency of the plan has changed since the preview; nothing was written. */
  | { readonly state: "stale" };

function issuedHour(plan: PostPlan): number {
  return Math.floor(plan.issuedAt / HOUR);
}

/**
 * Writes a plan in one transaction, completely or not at all. A token is used once because a post with its id can be inserted once, or,
 * where the plan edits posts or makes many, because its row of `confirmations` can.
 */
export async function commitPlan(db: Db, attempt: ConfirmAttempt, now: number): Promise<ConfirmResult> {
  const { plan, approvalId, tokenHash } = attempt;
  const confirmHash = await sha256Hex(`${tokenHash} ${attempt.nonce}`);
  const origin = { confirmHash, via: attempt.via, by: attempt.by, now };
  const isPostTheRecord = plan.kind === "schedule";
  const { writes, posts } = planStatements(db, plan, origin);
  const statements = {
    check: isPostTheRecord ? unchangedStatement(db, attempt, now) : insertConfirmationStatement(db, attempt, now),
    writes,
    approved:
      approvalId === undefined ? undefined : approvedStatement(db, { id: approvalId, postIds: postIdsOf(plan), now }),
    posts,
  };
  try {
    return committed(await retryAfterLostAnswer(() => batch(db, statements)));
  } catch (error) {
    if (!isConstraintViolation(error) && !isStalePlan(error)) {
      throw error;
    }
    const read = await batch(db, {
      existing: isPostTheRecord
        ? useByPostStatement(db, postIdsOf(plan)[0], plan.userId)
        : useByTokenStatement(db, attempt),
      posts,
    });
    const [row] = read.existing.results;
    if (row) {
      // With our own nonce the batch had been committed, and only its response was lost.
      return row.used_by === (isPostTheRecord ? confirmHash : attempt.nonce)
        ? committed(read)
        : { state: "used", postIds: JSON.parse(row.post_ids) as string[] };
    }
    if (!isStalePlan(error)) {
      throw error;
    }
    return { state: "stale" };
  }
}

function planStatements(db: Db, plan: TimedPlan, origin: PostOrigin): PlanStatements {
  if (plan.kind === "bulk") {
    return bulkStatements(db, plan, origin);
  }
  return {
    writes: plan.kind === "schedule" ? scheduleStatements(db, plan, origin) : editStatements(db, plan, origin),
    posts: postsStatement(db, plan, postIdsOf(plan)),
  };
}

function committed({ posts }: { readonly posts: StatementResult<PostRow> }): ConfirmResult {
  return { state: "committed", rows: posts.results };
}

/** After a lost response it is unknown whether the batch was committed; running it again tells. */
async function retryAfterLostAnswer<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isLostResponse(error)) {
      throw error;
    }
    return await run();
  }
}

/** By which call a token was used, and for which posts. */
interface UseRow {
  readonly used_by: string;
  readonly post_ids: string;
}

const USE_BY_POST = "SELECT p.confirm_hash AS used_by, json_array(p.id) AS post_ids FROM posts p";

function useByPostStatement(db: Db, postId: string | undefined, userId: string): Statement<UseRow> {
  return db.d1.prepare(`${USE_BY_POST} WHERE p.id = ?1 AND p.user_id = ?2`).bind(postId ?? null, userId);
}

function useByTokenStatement(
  db: Db,
  { plan, tokenHash }: Pick<ConfirmAttempt, "plan" | "tokenHash">,
): Statement<UseRow> {
  return db.d1
    .prepare(
      "SELECT nonce AS used_by, post_ids FROM confirmations WHERE issued_hour = ?1 AND token_hash = ?2 AND user_id = ?3",
    )
    .bind(issuedHour(plan), tokenHash, plan.userId);
}

/** What a token was used for: its posts, or the approval that was asked for with it; both are null while it is unused. */
export interface UseOfToken {
  readonly postIds: readonly string[] | null;
  readonly approval: StoredApproval | null;
}

/**
 * A schedule's post has the id that its token stands for. The rows of other tokens begin with the hour of issue, which is not known here,
 * so each hour for which they are kept is one lookup.
 */
export async function findUseOfToken(
  db: Db,
  { userId, token, now }: { readonly userId: string; readonly token: TokenKey; readonly now: number },
): Promise<UseOfToken> {
  const lastHour = Math.floor(now / HOUR);
  const hours = Array.from({ length: CONFIRMATION_RETENTION_MS / HOUR + 1 }, (_, ago) => lastHour - ago);
  const { uses, approvals } = await batch(db, {
    uses: withRows<UseRow>(
      db.d1
        .prepare(
          `${USE_BY_POST} WHERE p.id = ?4 AND p.user_id = ?3
       UNION ALL SELECT * FROM (SELECT c.nonce, c.post_ids FROM json_each(?1) AS kept CROSS JOIN confirmations c
         ON c.issued_hour = kept.value AND c.token_hash = ?2 WHERE c.user_id = ?3 LIMIT 1)`,
        )
        .bind(JSON.stringify(hours), token.hash, userId, token.postId),
    ),
    approvals: approvalByTokenStatement(db, { userId, tokenHash: token.hash, now }),
  });
  const [row] = uses.results;
  return { postIds: row ? (JSON.parse(row.post_ids) as string[]) : null, approval: readApproval(approvals) };
}

/** The dependencies of a plan that are as they were at the preview; ?1 to ?5 are from `dependencyParameters`. */
// mutant: no-edit-guard
const UNCHANGED_DEPENDENCIES = `SELECT 'account' AS kind, a.id AS id FROM json_each(?3) needed CROSS JOIN accounts a ON a.id = needed.value
    WHERE a.user_id = ?1 AND a.workspace_id = ?2 AND a.status = 'active' AND a.disconnected_at IS NULL
  UNION ALL SELECT 'media', m.id FROM json_each(?4) needed CROSS JOIN media m ON m.id = needed.value
    WHERE m.workspace_id = ?2 AND m.state IN ('ready', 'expiring')
  UNION ALL SELECT 'post', p.id FROM json_each(?5) previewed CROSS JOIN posts p ON p.id = previewed.value ->> 0
    WHERE p.user_id = ?1 AND p.workspace_id = ?2 AND p.version = previewed.value ->> 1 AND p.status = previewed.value ->> 2`;

function dependencyParameters(plan: PostPlan): readonly [string, string, string, string, string] {
  const { accountIds, mediaIds } = plan.dependencies;
  const versions =
    plan.kind === "edit" ? plan.posts.map(({ id, version, previousStatus }) => [id, version, previousStatus]) : [];
  return [
    plan.userId,
    plan.workspaceId,
    JSON.stringify(accountIds),
    JSON.stringify(mediaIds),
    JSON.stringify(versions),
  ];
}

const APPROVAL_OF_TOKEN = "SELECT 'approval', a.id FROM approvals a WHERE a.user_id = ?1 AND a.token_hash = ?7";

interface Comparison {
  /** SQL for the number of dependencies that are as they were; it must be ?11. */
  readonly matched: string;
  /** ?1 to ?11. */
  readonly parameters: readonly (string | number | null)[];
  /** The parameter that is named for the slots; none for a plan without. */
  readonly slots: readonly string[];
}

/**
 * The number of dependencies that are as they were at the preview, which makes a plan all-or-nothing. Above the limit of scheduled posts,
 * and while the database is held after a restore, it is -1. A token with an approval is written with that approval only, which is one
 * of the dependencies; so is each slot that is still free.
 */
function compareDependencies(
  { plan, tokenHash, scheduledPostsLimit, approvalId }: ConfirmAttempt,
  now: number,
  slotsParameter: string,
): Comparison {
  const { accountIds, mediaIds } = plan.dependencies;
  const times = plan.slots ?? [];
  const dependencies =
    accountIds.length + mediaIds.length + times.length + (plan.kind === "edit" ? plan.posts.length : 0);
  // mutant: slot-guard
  const freeSlots = times.length === 0 ? "" : ` + (SELECT count(*) FROM (${freeSlotsSql("?2", slotsParameter)}))`;
  // A missing approval must not be counted instead of a missing dependency.
  const [condition, approval] =
    approvalId === undefined
      ? [`AND NOT EXISTS (${APPROVAL_OF_TOKEN})`, ""]
      : ["", `UNION ALL ${APPROVAL_OF_TOKEN} AND a.id = ?9 AND ${isPending("?10")}`];
  return {
    matched: `iif(${scheduledPostsOf("?1")} + ?6 <= ?8 AND NOT EXISTS (SELECT 1 FROM service WHERE held IS NOT NULL) ${condition},
      (SELECT count(*) FROM (${UNCHANGED_DEPENDENCIES} ${approval}))${freeSlots}, -1)`,
    parameters: [
      ...dependencyParameters(plan),
      newlyScheduled(plan),
      tokenHash,
      scheduledPostsLimit,
      approvalId ?? null,
      now,
      dependencies + (approvalId === undefined ? 0 : 1),
    ],
    slots: times.length === 0 ? [] : [JSON.stringify({ times, posts: postIdsOf(plan) } satisfies SlotsOfPosts)],
  };
}

/** Undoes the batch of a new post when something has changed; the primary key of `posts` makes its token single-use. */
function unchangedStatement(db: Db, attempt: ConfirmAttempt, now: number): D1PreparedStatement {
  const { matched, parameters, slots } = compareDependencies(attempt, now, "?12");
  return db.d1.prepare(failUnless(`${matched} = ?11`, STALE_PLAN)).bind(...parameters, ...slots);
}

/** The primary key makes the token single-use, and the CHECK `stale_plan` undoes the batch when something has changed. */
function insertConfirmationStatement(db: Db, attempt: ConfirmAttempt, now: number): D1PreparedStatement {
  const { plan, nonce } = attempt;
  const { matched, parameters, slots } = compareDependencies(attempt, now, "?15");
  return db.d1
    .prepare(
      `INSERT INTO confirmations (issued_hour, token_hash, user_id, nonce, post_ids, expected, matched)
       VALUES (?12, ?7, ?1, ?13, ?14, ?11, ${matched})`,
    )
    .bind(...parameters, issuedHour(plan), nonce, JSON.stringify(postIdsOf(plan)), ...slots);
}

/** How many posts a plan adds to those that are scheduled or paused. */
export function newlyScheduled(plan: PostPlan): number {
  return plan.kind === "edit"
    ? plan.posts.filter(({ previousStatus }) => previousStatus !== "scheduled" && previousStatus !== "paused").length
    : postIdsOf(plan).length;
}

/** Accounts and media that can no longer be used, and posts that changed since the preview. */
export interface ChangedDependencies {
  readonly accountIds: readonly string[];
  readonly mediaIds: readonly string[];
  readonly postIds: readonly string[];
}

export async function findChangedDependencies(db: Db, plan: PostPlan): Promise<ChangedDependencies> {
  const { results } = await db.d1
    .prepare(UNCHANGED_DEPENDENCIES)
    .bind(...dependencyParameters(plan))
    .all<{ kind: string; id: string }>();
  const unchanged = new Set(results.map(({ kind, id }) => `${kind} ${id}`));
  const changed = (kind: string, ids: readonly string[]) => ids.filter((id) => !unchanged.has(`${kind} ${id}`));
  return {
    accountIds: changed("account", plan.dependencies.accountIds),
    mediaIds: changed("media", plan.dependencies.mediaIds),
    postIds: plan.kind === "edit" ? changed("post", postIdsOf(plan)) : [],
  };
}
