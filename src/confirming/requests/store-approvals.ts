import type { Author } from "#core/actor.ts";
import type { RefusalDetail } from "#core/errors.ts";
import { MAX_PAGE_BYTES } from "#core/page-bytes.ts";
import type { ApprovalState, CreatedVia } from "#core/status.ts";
import { batch, type StatementResult, type Statement } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { isLimitReached } from "#db/errors.ts";
import type { HourlyUse } from "#quotas/index.ts";
import type { PostPlan } from "#planning/plan/post-plan.ts";
import type { Approval } from "./types.ts";

/* An approval's row says `pending` until somebody decides. Whether it has expired or lost its key or app is read
   from the clock and from the credential. So expiry and revocation count at once, even before a cron run updates the
   row. */

/**
 * SQL that is true if the key or app that requested approval `a` has access, or had access when the approval ended. A
 * revocation after the request has expired does not count.
 */
const CREDENTIAL_WORKS = `iif(a.requested_by ->> 'kind' = 'key',
  EXISTS (SELECT 1 FROM api_keys k WHERE k.id = a.requested_by ->> 'id' AND coalesce(k.revoked_at >= a.expires_at, 1)),
  EXISTS (SELECT 1 FROM oauth_grants g WHERE g.id = a.requested_by ->> 'id' AND coalesce(g.revoked_at >= a.expires_at, 1)))`;

/** SQL that is true if approval `a` can be decided. `now` is the parameter with the time. */
export function isPending(now: string): string {
  return `(a.state = 'pending' AND a.expires_at > ${now} AND ${CREDENTIAL_WORKS})`;
}

function stateAt(now: string): string {
  return `(CASE WHEN a.state <> 'pending' THEN a.state WHEN NOT ${CREDENTIAL_WORKS} THEN 'withdrawn'
    WHEN a.expires_at <= ${now} THEN 'expired' ELSE 'pending' END)`;
}

/** SQL for the posts of a plan in short form, without the members that can be large. */
const POSTS = `(SELECT json_group_array(json_object('id', p.value ->> 'id', 'scheduledAt', p.value ->> 'scheduledAt',
    'caption', substr(p.value ->> 'caption', 1, 140), 'postType', p.value ->> 'postType',
    'platforms', json(iif(a.kind = 'edit', p.value -> 'platforms', (SELECT json_group_array(platform) FROM (
      SELECT DISTINCT t.value ->> 'platform' AS platform FROM json_each(p.value, '$.targets') t))))))
  FROM json_each(iif(a.kind = 'schedule', json_array(json(a.plan -> 'post')), a.plan -> 'posts')) p)`;

function columns(now: string): string {
  return `a.id AS id, a.workspace_id AS workspaceId, a.kind AS kind, ${stateAt(now)} AS state, a.plan_hash AS planHash,
    a.requested_by AS requestedBy, a.via AS via, a.note AS note, a.post_ids AS postIds, a.details AS details, a.created_at AS createdAt,
    a.expires_at AS expiresAt, a.decided_at AS decidedAt, ${POSTS} AS posts`;
}

export interface ApprovalRow {
  readonly id: string;
  readonly workspaceId: string;
  readonly kind: PostPlan["kind"];
  readonly state: ApprovalState;
  readonly planHash: string;
  readonly requestedBy: string;
  readonly via: CreatedVia;
  readonly note: string | null;
  readonly postIds: string | null;
  readonly details: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly decidedAt: number | null;
  readonly posts: string;
}

/** An approval as stored. The database does not know the URL of its page. */
export type StoredApproval = Omit<Approval, "url">;

export function toApproval(row: ApprovalRow): StoredApproval {
  return {
    id: row.id,
    workspaceId: row.workspaceId,
    kind: row.kind,
    state: row.state,
    planHash: row.planHash,
    requestedBy: JSON.parse(row.requestedBy) as Author,
    via: row.via,
    note: row.note,
    postIds: row.postIds === null ? null : (JSON.parse(row.postIds) as string[]),
    details: row.details === null ? [] : (JSON.parse(row.details) as RefusalDetail[]),
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
    decidedAt: row.decidedAt ?? (row.state === "expired" ? row.expiresAt : null),
    posts: JSON.parse(row.posts) as Approval["posts"],
  };
}

interface TokenOfUser {
  readonly userId: string;
  /** Null to find an approval of any workspace. */
  readonly workspaceId: string | null;
  readonly tokenHash: string;
  readonly now: number;
}

export function approvalByTokenStatement(
  db: Db,
  { userId, workspaceId, tokenHash, now }: TokenOfUser,
): Statement<ApprovalRow> {
  return db.d1
    .prepare(
      `SELECT ${columns("?3")} FROM approvals a
       WHERE a.user_id = ?1 AND a.token_hash = ?2 AND (?4 IS NULL OR a.workspace_id = ?4)`,
    )
    .bind(userId, tokenHash, now, workspaceId);
}

export function readApproval({ results }: StatementResult<ApprovalRow>): StoredApproval | null {
  const [row] = results;
  return row ? toApproval(row) : null;
}

/** An approval with the plan and everything else that a decision needs. */
export interface ApprovalWithPlan {
  readonly approval: StoredApproval;
  readonly plan: PostPlan;
  readonly tokenHash: string;
}

export interface ApprovalOfUser {
  readonly userId: string;
  /** Null for the person who decides, whose pages show the approvals of all workspaces. */
  readonly workspaceId: string | null;
  readonly id: string;
  readonly now: number;
}

export async function findApproval(
  db: Db,
  { userId, workspaceId, id, now }: ApprovalOfUser,
): Promise<ApprovalWithPlan | null> {
  const row = await db.d1
    .prepare(
      `SELECT ${columns("?3")}, a.plan AS plan, a.token_hash AS tokenHash FROM approvals a
       WHERE a.id = ?2 AND a.user_id = ?1 AND (?4 IS NULL OR a.workspace_id = ?4)`,
    )
    .bind(userId, id, now, workspaceId)
    .first<ApprovalRow & { readonly plan: string; readonly tokenHash: string }>();
  return row && { approval: toApproval(row), plan: JSON.parse(row.plan) as PostPlan, tokenHash: row.tokenHash };
}

export interface ApprovalPage {
  readonly userId: string;
  readonly workspaceId: string | null;
  readonly state: ApprovalState | null;
  readonly now: number;
  readonly limit: number;
  readonly offset: number;
}

/**
 * Lists approvals: first pending ones, the soonest to expire first; then decided ones, newest first. The database stops
 * at 4 MiB (but returns at least one), because more posts and problems might not fit into an isolate.
 */
export async function selectApprovals(
  db: Db,
  { userId, workspaceId, state, now, limit, offset }: ApprovalPage,
): Promise<{ readonly approvals: readonly StoredApproval[]; readonly hasMore: boolean }> {
  const { results } = await db.d1
    .prepare(
      `SELECT * FROM (
         SELECT *, row_number() OVER page AS position, count(*) OVER () AS found,
           sum(octet_length(posts) + coalesce(octet_length(details), 0)) OVER page AS bytes
         FROM (
           SELECT * FROM (SELECT ${columns("?2")} FROM approvals a WHERE a.user_id = ?1 AND (?3 IS NULL OR a.workspace_id = ?3))
           WHERE ?4 IS NULL OR state = ?4
           ORDER BY state <> 'pending', iif(state = 'pending', expiresAt, -coalesce(decidedAt, expiresAt)), id LIMIT ?5 + 1 OFFSET ?6)
         WINDOW page AS (ROWS UNBOUNDED PRECEDING))
       WHERE position = 1 OR (position <= ?5 AND bytes <= ${MAX_PAGE_BYTES})`,
    )
    .bind(userId, now, workspaceId, state, limit, offset)
    .all<ApprovalRow & { readonly found: number }>();
  return { approvals: results.map(toApproval), hasMore: (results[0]?.found ?? 0) > results.length };
}

/** A post of an agent's request that waits for a person; the calendar shows it. */
export interface RequestedPost {
  /** The id of the approval. */
  readonly id: string;
  readonly kind: PostPlan["kind"];
  readonly scheduledAt: number;
  /** The first 140 characters of the caption, counted in code points. */
  readonly caption: string;
  /** Account ids as a JSON array: of all targets of a new post, or of the targets that an edit changes. */
  readonly accountIds: string;
}

interface RequestedPostsInput {
  readonly from: number;
  readonly until: number;
  readonly now: number;
  readonly limit: number;
  /** Only posts with this label, with this id in the makers' own system, or requested this way. An edit has neither of the first two. */
  readonly label?: string | undefined;
  readonly externalId?: string | undefined;
  readonly via?: CreatedVia | undefined;
}

/** A statement that selects the posts of pending requests that would be due in a time range. */
export function requestedPostsStatement(
  db: Db,
  { userId, workspaceId }: Pick<PostPlan, "userId" | "workspaceId">,
  { from, until, now, limit, label, externalId, via }: RequestedPostsInput,
): Statement<RequestedPost> {
  return db.d1
    .prepare(
      `SELECT a.id AS id, a.kind AS kind, p.value ->> 'scheduledAt' AS scheduledAt, substr(p.value ->> 'caption', 1, 140) AS caption,
         (SELECT json_group_array(t.value ->> 'accountId') FROM json_each(p.value, '$.targets') t) AS accountIds
       FROM approvals a CROSS JOIN json_each(iif(a.kind = 'schedule', json_array(json(a.plan -> 'post')), a.plan -> 'posts')) p
       WHERE a.user_id = ?1 AND a.workspace_id = ?2 AND ${isPending("?3")}
         AND p.value ->> 'scheduledAt' >= ?4 AND p.value ->> 'scheduledAt' < ?5
         AND (?7 IS NULL OR EXISTS (SELECT 1 FROM json_each(p.value, '$.annotations.labels') l WHERE l.value = ?7))
         AND (?8 IS NULL OR p.value ->> '$.annotations.externalId' = ?8) AND (?9 IS NULL OR a.via = ?9) LIMIT ?6`,
    )
    .bind(userId, workspaceId, now, from, until, limit, label ?? null, externalId ?? null, via ?? null);
}

export interface NewApproval {
  readonly id: string;
  readonly tokenHash: string;
  readonly plan: PostPlan;
  readonly planHash: string;
  /** Counts the bytes of the plan. */
  readonly texts: HourlyUse;
  readonly requestedBy: Author;
  readonly via: CreatedVia;
  readonly now: number;
  readonly expiresAt: number;
}

export interface RequestedApproval {
  readonly id: string;
  readonly state: ApprovalState;
  readonly expiresAt: number;
}

/**
 * Stores a request for approval once per token, and returns the stored one. It stores nothing and returns null for a
 * used token, above the limit of pending requests, and while the database is held after a restore. It refuses a plan for
 * which this hour has no room.
 */
export async function insertApproval(
  db: Db,
  approval: NewApproval,
  { issuedHour, maxPending }: { readonly issuedHour: number; readonly maxPending: number },
): Promise<RequestedApproval | null> {
  const { plan, now, texts } = approval;
  const insert: Statement<RequestedApproval> = db.d1
    .prepare(
      `INSERT INTO approvals (id, user_id, workspace_id, token_hash, kind, plan, plan_hash, requested_by, via, state, created_at, expires_at)
       SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 'pending', ?10, ?11
       WHERE NOT EXISTS (SELECT 1 FROM confirmations c WHERE c.issued_hour = ?12 AND c.token_hash = ?4)
         AND NOT EXISTS (SELECT 1 FROM posts p WHERE p.id = ?14)
         AND NOT EXISTS (SELECT 1 FROM service WHERE held IS NOT NULL)
         AND ((SELECT count(*) FROM approvals a WHERE a.user_id = ?2 AND ${isPending("?10")}) < ?13
           OR EXISTS (SELECT 1 FROM approvals a WHERE a.user_id = ?2 AND a.token_hash = ?4))
       ON CONFLICT (user_id, token_hash) DO UPDATE SET id = approvals.id
       RETURNING id, state, expires_at AS expiresAt`,
    )
    .bind(
      approval.id,
      plan.userId,
      plan.workspaceId,
      approval.tokenHash,
      plan.kind,
      JSON.stringify(plan),
      approval.planHash,
      JSON.stringify(approval.requestedBy),
      approval.via,
      now,
      approval.expiresAt,
      issuedHour,
      maxPending,
      plan.kind === "schedule" ? plan.post.id : null,
    );
  try {
    const { inserted } = await batch(db, { counted: texts.guardedStatements, inserted: insert });
    return inserted.results[0] ?? null;
  } catch (error) {
    if (isLimitReached(error)) {
      return await texts.refuse();
    }
    throw error;
  }
}

/**
 * A statement that marks a request as approved. It runs in the batch that writes the plan, after the check that the
 * request is pending.
 */
export function approvedStatement(
  db: Db,
  { id, postIds, now }: { readonly id: string; readonly postIds: readonly string[]; readonly now: number },
): D1PreparedStatement {
  return db.d1
    .prepare("UPDATE approvals SET state = 'approved', post_ids = ?2, decided_at = ?3 WHERE id = ?1")
    .bind(id, JSON.stringify(postIds), now);
}

/**
 * Stores a decision of the person, or a withdrawal by the agent. False, with nothing stored, if the request was already
 * decided or has expired.
 */
export async function decideApproval(
  db: Db,
  { userId, workspaceId, id, now }: ApprovalOfUser,
  decision:
    | { readonly state: "declined"; readonly note: string | null }
    | { readonly state: "withdrawn" }
    | { readonly state: "stale"; readonly details: readonly RefusalDetail[] },
): Promise<boolean> {
  const { results } = await db.d1
    .prepare(
      `UPDATE approvals AS a SET state = ?4, decided_at = ?3, note = ?5, details = ?6
       WHERE a.id = ?2 AND a.user_id = ?1 AND (?7 IS NULL OR a.workspace_id = ?7) AND ${isPending("?3")} RETURNING id`,
    )
    .bind(
      userId,
      id,
      now,
      decision.state,
      decision.state === "declined" ? decision.note : null,
      decision.state === "stale" ? JSON.stringify(decision.details) : null,
      workspaceId,
    )
    .all();
  // Count the returned rows: `meta.changes` would also count the events that triggers insert.
  return results.length === 1;
}

/** Withdraws a user's pending requests whose key or app has lost access. */
export async function withdrawOfRevoked(db: Db, userId: string, now: number): Promise<void> {
  await db.d1
    .prepare(
      `UPDATE approvals AS a SET state = 'withdrawn', decided_at = ?2
       WHERE a.user_id = ?1 AND a.state = 'pending' AND NOT ${CREDENTIAL_WORKS}`,
    )
    .bind(userId, now)
    .run();
}

/** Marks undecided requests as expired after their time. Returns how many. */
export async function expireApprovals(db: Db, now: number, limit: number): Promise<number> {
  const { results } = await db.d1
    .prepare(
      `UPDATE approvals AS a SET state = ${stateAt("?1")}, decided_at = a.expires_at
       WHERE a.id IN (SELECT id FROM approvals WHERE state = 'pending' AND expires_at <= ?1 ORDER BY expires_at LIMIT ?2) RETURNING id`,
    )
    .bind(now, limit)
    .all();
  return results.length;
}

/** Deletes requests that were decided before a time. Returns how many. */
export async function deleteDecidedApprovals(
  db: Db,
  before: { readonly decided: number; readonly dropped: number },
  limit: number,
): Promise<number> {
  const { meta } = await db.d1
    .prepare(
      `DELETE FROM approvals WHERE id IN (
         SELECT id FROM approvals WHERE decided_at IS NOT NULL AND decided_at < ?1 ORDER BY decided_at LIMIT ?2)
       OR id IN (
         SELECT id FROM approvals WHERE state IN ('withdrawn', 'declined') AND decided_at < ?3 ORDER BY decided_at LIMIT ?2)`,
    )
    .bind(before.decided, limit, before.dropped)
    .run();
  return meta.changes;
}
