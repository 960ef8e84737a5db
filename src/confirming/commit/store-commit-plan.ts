import { HOUR } from "#core/clock.ts";
import { sha256Hex } from "#core/encoding.ts";
import type { Author } from "#core/actor.ts";
import type { CreatedVia } from "#core/status.ts";
import { batch, type StatementResult, type Statement, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { failUnless } from "#db/conditional.ts";
import { isConstraintViolation, isLimitReached, isLostResponse, isStalePlan, STALE_PLAN } from "#db/errors.ts";
import { CONFIRMATION_RETENTION_MS, type TokenKey } from "#confirming/token/confirmation-token.ts";
import { type HourlyUse, scheduledPostsOf } from "#quotas/index.ts";
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

/** One call of confirm. Its nonce distinguishes the row that it writes from the row of a parallel call. */
export interface ConfirmAttempt {
  readonly plan: TimedPlan;
  readonly tokenHash: string;
  readonly nonce: string;
  /** How the posts were created, which their rows record. */
  readonly via: CreatedVia;
  readonly by: Author | null;
  readonly scheduledPostsLimit: number;
  /** Counts the bytes that the plan stores. Null for a short plan. */
  readonly longTexts: HourlyUse | null;
  /**
   * The approval that the plan waited for. The transaction writes the plan only if the approval is pending, and
   * approves it.
   */
  readonly approvalId?: string;
}

export interface CommittedPlan {
  /** The rows of the written posts; empty for a bulk plan, whose posts are not read. */
  readonly rows: readonly PostRow[];
}

export type ConfirmResult =
  | (CommittedPlan & { readonly state: "committed" })
  | { readonly state: "used"; readonly postIds: readonly string[] }
  /** Something that the plan depends on has changed since the preview, so nothing was written. */
  | { readonly state: "stale" }
  /** The plan stores more than this hour has room for, so nothing was written. */
  | { readonly state: "full"; readonly limit: HourlyUse };

function issuedHour(plan: PostPlan): number {
  return Math.floor(plan.issuedAt / HOUR);
}

/**
 * Writes a plan in one transaction, completely or not at all. A token works once: the id of the single post that it
 * stands for can be inserted only once. A plan of edits or of many posts inserts a unique row into `confirmations`
 * instead.
 */
export async function commitPlan(db: Db, attempt: ConfirmAttempt, now: number): Promise<ConfirmResult> {
  const { plan, approvalId, tokenHash } = attempt;
  const confirmHash = await sha256Hex(`${tokenHash} ${attempt.nonce}`);
  const origin = { confirmHash, via: attempt.via, by: attempt.by, now };
  const isPostTheRecord = plan.kind === "schedule";
  const { writes, posts } = planStatements(db, plan, origin);
  const statements = {
    check: isPostTheRecord ? unchangedStatement(db, attempt, now) : insertConfirmationStatement(db, attempt, now),
    longTexts: attempt.longTexts?.guardedStatements,
    writes,
    approved:
      approvalId === undefined ? undefined : approvedStatement(db, { id: approvalId, postIds: postIdsOf(plan), now }),
    posts,
  };
  try {
    return committed(await retryAfterLostAnswer(() => batch(db, statements)));
  } catch (error) {
    if (!isConstraintViolation(error) && !isStalePlan(error) && !isLimitReached(error)) {
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
      // The row has this call's nonce: the batch was committed, and only its response was lost.
      return row.used_by === (isPostTheRecord ? confirmHash : attempt.nonce)
        ? committed(read)
        : { state: "used", postIds: JSON.parse(row.post_ids) as string[] };
    }
    if (attempt.longTexts && isLimitReached(error)) {
      return { state: "full", limit: attempt.longTexts };
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

/** Runs a batch again after a lost response, because only the second run shows whether the first one was committed. */
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

/** Which call used a token, and for which posts. */
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

/**
 * What a token was used for: its posts, or the approval that was requested with it. Both are null while the token is
 * unused.
 */
export interface UseOfToken {
  readonly postIds: readonly string[] | null;
  readonly approval: StoredApproval | null;
}

/**
 * Finds how a token was used. The post of a schedule has the id that its token stands for. The rows of other tokens
 * begin with the hour of issue, which is unknown here. So the query tries each hour for which rows are kept.
 */
export async function findUseOfToken(
  db: Db,
  {
    userId,
    workspaceId,
    token,
    now,
  }: {
    readonly userId: string;
    /** Where a pinned or named workspace looks for it; null to find what any workspace of the user did with it. */
    readonly workspaceId: string | null;
    readonly token: TokenKey;
    readonly now: number;
  },
): Promise<UseOfToken> {
  const lastHour = Math.floor(now / HOUR);
  const hours = Array.from({ length: CONFIRMATION_RETENTION_MS / HOUR + 1 }, (_, ago) => lastHour - ago);
  const { uses, approvals } = await batch(db, {
    uses: withRows<UseRow>(
      db.d1
        .prepare(
          `${USE_BY_POST} WHERE p.id = ?4 AND p.user_id = ?3 AND (?5 IS NULL OR p.workspace_id = ?5)
       UNION ALL SELECT * FROM (SELECT c.nonce, c.post_ids FROM json_each(?1) AS kept CROSS JOIN confirmations c
         ON c.issued_hour = kept.value AND c.token_hash = ?2
         WHERE c.user_id = ?3 AND (?5 IS NULL OR EXISTS (
           SELECT 1 FROM posts o WHERE o.id = c.post_ids ->> 0 AND o.workspace_id = ?5)) LIMIT 1)`,
        )
        .bind(JSON.stringify(hours), token.hash, userId, token.postId, workspaceId),
    ),
    approvals: approvalByTokenStatement(db, { userId, workspaceId, tokenHash: token.hash, now }),
  });
  const [row] = uses.results;
  return { postIds: row ? (JSON.parse(row.post_ids) as string[]) : null, approval: readApproval(approvals) };
}

/**
 * SQL for the accounts, files and posts of a plan that are unchanged since the preview. `dependencyParameters` gives ?1
 * to ?5.
 */
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
  /** SQL for the number of unchanged dependencies. The transaction compares it with ?11, the expected number. */
  readonly matched: string;
  /** The parameters ?1 to ?11 of the SQL in `matched`. */
  readonly parameters: readonly (string | number | null)[];
  /** The parameter with the plan's slots; empty for a plan without slots. */
  readonly slots: readonly string[];
}

/**
 * Counts the dependencies of a plan that are unchanged since the preview; if any changed, nothing is written. Each free
 * slot and the approval of the token count as dependencies. The number is -1 above the limit of scheduled posts, and
 * while the database is held after a restore.
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
  // Without this condition, a found approval could make up for a missing other dependency, and the sum would match.
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

/**
 * A statement that undoes the batch of a new post if a dependency has changed. The token works once, because its post's
 * id is a primary key.
 */
function unchangedStatement(db: Db, attempt: ConfirmAttempt, now: number): D1PreparedStatement {
  const { matched, parameters, slots } = compareDependencies(attempt, now, "?12");
  return db.d1.prepare(failUnless(`${matched} = ?11`, STALE_PLAN)).bind(...parameters, ...slots);
}

/**
 * A statement that records the use of a token. The primary key makes the token work once; the CHECK `stale_plan` undoes
 * the batch if a dependency has changed.
 */
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

/** How many posts a plan adds to the scheduled and paused ones, which a limit counts. */
export function newlyScheduled(plan: PostPlan): number {
  return plan.kind === "edit"
    ? plan.posts.filter(({ previousStatus }) => previousStatus !== "scheduled" && previousStatus !== "paused").length
    : postIdsOf(plan).length;
}

/** Accounts and files that can no longer be used, and posts that changed since the preview. */
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
