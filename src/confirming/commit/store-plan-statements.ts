import { platformsOf } from "#core/platform.ts";
import type { Author } from "#core/actor.ts";
import type { CreatedVia } from "#core/status.ts";
import type { Statement } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { deleteDraftStatement } from "#drafts/store-confirm.ts";
import { WATCH_LATE_MS, WATCH_UNARMED_MS } from "#arming/arm-posts.ts";
import { nextTryAtSql } from "#arming/store-next-due-at.ts";
import { failUnless } from "#db/conditional.ts";
import { STALE_PLAN } from "#db/errors.ts";
import type { PostRow } from "#posts/rows/store-post-rows.ts";
import { insertAnnotationsStatement } from "#posts/rows/store-annotations.ts";
import { type ChangedStatus, appendChange, changeOfEdit } from "#posts/rows/change-record.ts";
import { armedAtOnce } from "./armed-at-once.ts";
import { searchTextOfLabels, searchTextOfPost } from "#posts/rows/search-text.ts";
import type { EditPlan, PostUpdate, SchedulePlan, TargetUpsert } from "#planning/plan/post-plan.ts";

/* The statements that write a plan. They store the `watch_at` of an armed post, because arming follows at once. A
   list is one JSON parameter, so the number of statements does not depend on its length. Options and media are JSON
   texts inside it, so that exactly the hashed bytes are stored. */

/** The columns of a new post. */
export const POST_COLUMNS = `id, workspace_id, user_id, status, scheduled_at, version, watch_at, post_type, caption, media, platforms,
           plan_hash, confirm_hash, created_via, created_by, created_at, updated_at, search_text`;

export const TARGET_COLUMNS = `post_id, account_id, position, platform, username, caption, effective_caption, options, requested_options, media,
         state, due_at, history, updated_at`;

export interface PostOrigin {
  readonly confirmHash: string;
  readonly via: CreatedVia;
  readonly by: Author | null;
  readonly now: number;
}

/** The statements that the confirm of a plan runs after its check. */
export interface PlanStatements {
  readonly writes: readonly D1PreparedStatement[];
  /** Reads the written posts. Undefined for many posts, because their rows could be megabytes. */
  readonly posts: Statement<PostRow> | undefined;
}

/** When (ms) the reconciler first checks a new post. */
export function watchAtOf(scheduledAt: number, now: number): number {
  return Math.max(scheduledAt, now) + WATCH_LATE_MS;
}

export function scheduleStatements(
  db: Db,
  plan: SchedulePlan<number>,
  { confirmHash, via, by, now }: PostOrigin,
): D1PreparedStatement[] {
  const { post, userId, workspaceId, dependencies, draft } = plan;
  return [
    // Write the targets before the post: inserting the post fires a trigger that records an event with its targets.
    upsertTargetsStatement(
      db,
      post.targets.map((target) => toTargetUpsertRow(post.id, post.scheduledAt, target)),
      now,
    ),
    ...(post.annotations === undefined
      ? []
      : [insertAnnotationsStatement(db, { ...post, workspaceId }, post.annotations, now)]),
    db.d1
      .prepare(
        `INSERT INTO posts (${POST_COLUMNS})
         VALUES (?1, ?2, ?3, 'scheduled', ?4, 1, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?14, ?15)`,
      )
      .bind(
        post.id,
        workspaceId,
        userId,
        post.scheduledAt,
        watchAtOf(post.scheduledAt, now),
        post.postType,
        post.caption,
        JSON.stringify(post.media),
        JSON.stringify(platformsOf(post.targets)),
        post.planHash,
        confirmHash,
        via,
        by === null ? null : JSON.stringify(by),
        now,
        searchTextOfPost(post),
      ),
    ...(dependencies.mediaIds.length > 0
      ? [
          insertMediaUsesStatement(
            db,
            dependencies.mediaIds.map((id) => [id, post.id]),
          ),
        ]
      : []),
    ...(draft ? [deleteDraftStatement(db, { userId, workspaceId }, draft)] : []),
  ];
}

export function editStatements(db: Db, plan: EditPlan<number>, origin: PostOrigin): D1PreparedStatement[] {
  const { now } = origin;
  const labelled = plan.posts.filter(({ labels }) => labels !== null);
  if (labelled.length > 0) {
    return labelStatements(db, plan, labelled, now);
  }
  const { posts } = plan;
  const targets = posts.flatMap((post) =>
    post.targets.map((target) => toTargetUpsertRow(post.id, post.scheduledAt, target)),
  );
  const removedTargets = posts.flatMap((post) => post.removedAccountIds.map((accountId) => [post.id, accountId]));
  const withNewMedia = posts.filter(({ mediaIds }) => mediaIds !== null);
  const uses = withNewMedia.flatMap(({ id: postId, mediaIds }) => (mediaIds ?? []).map((id) => [id, postId] as const));
  return [
    ...(removedTargets.length > 0 ? [deleteTargetsStatement(db, removedTargets)] : []),
    ...(targets.length > 0 ? [upsertTargetsStatement(db, targets, now)] : []),
    // Write the posts after the targets: the update fires a trigger that records an event with the targets.
    updatePostsStatement(db, posts, origin),
    ...(withNewMedia.length > 0
      ? [
          deleteMediaUsesStatement(
            db,
            withNewMedia.map(({ id }) => id),
          ),
        ]
      : []),
    ...(uses.length > 0 ? [insertMediaUsesStatement(db, uses)] : []),
  ];
}

/**
 * Updates edited posts. Status and time columns are written only if one of them changes, because every index on them
 * costs a row write.
 */
function updatePostsStatement(db: Db, posts: readonly PostUpdate[], { via, by, now }: PostOrigin): D1PreparedStatement {
  const changesSchedule = posts.some((post) => post.rescheduled || post.status !== post.previousStatus);
  const scheduleColumns = `status = e.value ->> 'status', paused_reason = e.value ->> 'pausedReason',
    scheduled_at = e.value ->> 'scheduledAt', run_id = NULL, finished_at = NULL,`;
  const armed = new Set(armedAtOnce(posts, now).map(({ id }) => id));
  const rows = posts.map((post) => ({
    id: post.id,
    status: post.status,
    pausedReason: post.pausedReason,
    scheduledAt: post.scheduledAt,
    caption: post.caption,
    postType: post.postType,
    platforms: JSON.stringify(post.platforms),
    planHash: post.planHash,
    media: post.media === null ? null : JSON.stringify(post.media),
    searchText: post.searchText,
    change: changeOfEdit({ at: now, via, by, what: changedStatus(post) }, post.changes),
    isArmed: armed.has(post.id),
  }));
  return db.d1
    .prepare(
      `UPDATE posts AS p SET ${changesSchedule ? scheduleColumns : ""} version = version + 1, caption = e.value ->> 'caption',
         post_type = e.value ->> 'postType', platforms = e.value ->> 'platforms', plan_hash = e.value ->> 'planHash',
         media = coalesce(e.value ->> 'media', p.media), search_text = coalesce(e.value ->> 'searchText', p.search_text), updated_at = ?2,
         changes = iif(e.value ->> 'change' IS NULL, p.changes, ${appendChange("e.value ->> 'change'")}),
         watch_at = iif(e.value ->> 'status' = 'scheduled', iif(e.value ->> 'isArmed',
           max(e.value ->> 'scheduledAt', ${nextTryAtSql("p.id")}, ?2) + ${WATCH_LATE_MS}, ?2 + ${WATCH_UNARMED_MS}), NULL)
       FROM json_each(?1) AS e WHERE p.id = e.value ->> 'id'`,
    )
    .bind(JSON.stringify(rows), now);
}

/** The name of an edit in the change record if only the status changes; otherwise null. */
function changedStatus({ previousStatus, status, changes }: PostUpdate): ChangedStatus | null {
  return changes.length !== 1 || status === previousStatus
    ? null
    : status === "cancelled" || status === "paused"
      ? status
      : previousStatus === "paused"
        ? "resumed"
        : null;
}

/**
 * Writes changed labels. The stored labels must equal those of the preview, because a change of labels does not change
 * a post's version.
 */
function labelStatements(
  db: Db,
  { workspaceId }: EditPlan,
  posts: readonly PostUpdate[],
  now: number,
): D1PreparedStatement[] {
  const rows = JSON.stringify(
    posts.map(({ id, labels }) => ({
      id,
      before: JSON.stringify(labels?.before ?? []),
      after: JSON.stringify(labels?.after ?? []),
      searchText: searchTextOfLabels(labels?.after ?? []),
    })),
  );
  return [
    db.d1
      .prepare(
        failUnless(
          `NOT EXISTS (SELECT 1 FROM json_each(?1) e WHERE e.value ->> 'before' <> coalesce(
            (SELECT a.labels FROM post_annotations a WHERE a.workspace_id = ?2 AND a.post_id = e.value ->> 'id'), '[]'))`,
          STALE_PLAN,
        ),
      )
      .bind(rows, workspaceId),
    db.d1
      .prepare(
        `INSERT INTO post_annotations AS a (workspace_id, post_id, scheduled_at, external_id, metadata, labels, notes, search_text, updated_at)
         SELECT p.workspace_id, p.id, p.scheduled_at, NULL, '{}', e.value ->> 'after', NULL, e.value ->> 'searchText' || char(10), ?3
         FROM json_each(?1) e CROSS JOIN posts p ON p.id = e.value ->> 'id' AND p.workspace_id = ?2
         ON CONFLICT (workspace_id, post_id) DO UPDATE SET labels = excluded.labels,
           search_text = excluded.search_text || substr(a.search_text, instr(a.search_text, char(10)) + 1),
           updated_at = excluded.updated_at`,
      )
      .bind(rows, workspaceId, now),
  ];
}

interface TargetUpsertRow extends Omit<TargetUpsert, "media" | "options" | "requestedOptions"> {
  readonly postId: string;
  readonly dueAt: number;
  readonly options: string;
  readonly requestedOptions: string;
  readonly media: string | null;
}

function toTargetUpsertRow(postId: string, dueAt: number, target: TargetUpsert): TargetUpsertRow {
  return {
    ...target,
    postId,
    dueAt,
    options: JSON.stringify(target.options),
    requestedOptions: JSON.stringify(target.requestedOptions),
    media: target.media ? JSON.stringify(target.media) : null,
  };
}

/**
 * Inserts or updates the targets of a post. An existing target keeps its attempts, its history and its published parts.
 */
function upsertTargetsStatement(db: Db, rows: readonly TargetUpsertRow[], now: number): D1PreparedStatement {
  return db.d1
    .prepare(
      `INSERT INTO post_targets (${TARGET_COLUMNS})
       SELECT t.value ->> 'postId', t.value ->> 'accountId', t.value ->> 'position', t.value ->> 'platform', t.value ->> 'username',
         t.value ->> 'caption', t.value ->> 'effectiveCaption', t.value ->> 'options', t.value ->> 'requestedOptions', t.value ->> 'media',
         iif(t.value ->> 'skipped', 'skipped', 'pending'),
         t.value ->> 'dueAt', '[]', ?2
       FROM json_each(?1) AS t WHERE 1
       ON CONFLICT (post_id, account_id) DO UPDATE SET
         position = excluded.position, username = excluded.username, caption = excluded.caption, effective_caption = excluded.effective_caption,
         options = excluded.options, requested_options = excluded.requested_options, media = excluded.media, state = excluded.state, due_at = excluded.due_at, started_at = NULL,
         next_attempt_at = iif(excluded.due_at = post_targets.due_at, post_targets.next_attempt_at, NULL),
         error = iif(excluded.due_at = post_targets.due_at, post_targets.error, NULL), updated_at = excluded.updated_at`,
    )
    .bind(JSON.stringify(rows), now);
}

function deleteTargetsStatement(db: Db, removed: readonly (readonly string[])[]): D1PreparedStatement {
  return db.d1
    .prepare(
      `DELETE FROM post_targets
       WHERE (post_id, account_id) IN (SELECT r.value ->> 0, r.value ->> 1 FROM json_each(?1) AS r)`,
    )
    .bind(JSON.stringify(removed));
}

function deleteMediaUsesStatement(db: Db, postIds: readonly string[]): D1PreparedStatement {
  return db.d1
    .prepare("DELETE FROM post_media WHERE post_id IN (SELECT value FROM json_each(?1))")
    .bind(JSON.stringify(postIds));
}

export function insertMediaUsesStatement(
  db: Db,
  uses: readonly (readonly [mediaId: string, postId: string])[],
): D1PreparedStatement {
  return db.d1
    .prepare("INSERT INTO post_media (media_id, post_id) SELECT u.value ->> 0, u.value ->> 1 FROM json_each(?1) AS u")
    .bind(JSON.stringify(uses));
}
