import type { CreatedVia } from "#core/status.ts";
import type { Db } from "#db/client.ts";
import { WATCH_UNARMED_MS } from "#posting/arming/arm-posts.ts";
import { type EditPlan, type PlannedEdit, type PlannedTarget, platformsOf, type SchedulePlan } from "./post-plan.ts";

/*
 * The statements of a confirm. Lists go as one JSON parameter, so that their number never changes the number of statements;
 * options and media are JSON texts inside it, so that exactly the bytes that were hashed are stored.
 */

export interface Making {
  readonly confirmHash: string;
  readonly via: CreatedVia;
  readonly now: number;
}

export function scheduleWrites(db: Db, plan: SchedulePlan, { confirmHash, via, now }: Making): D1PreparedStatement[] {
  const { post, userId, workspaceId, needs } = plan;
  return [
    db.d1
      .prepare(
        `INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, watch_at, post_type, caption, media, platforms,
           plan_hash, confirm_hash, created_via, created_at, updated_at)
         VALUES (?1, ?2, ?3, 'scheduled', ?4, 1, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?13)`,
      )
      .bind(
        post.id,
        workspaceId,
        userId,
        post.scheduledAt,
        now + WATCH_UNARMED_MS,
        post.postType,
        post.caption,
        JSON.stringify(post.media),
        JSON.stringify(platformsOf(post.targets)),
        post.planHash,
        confirmHash,
        via,
        now,
      ),
    targetsStatement(
      db,
      post.targets.map((target) => targetRow(post.id, post.scheduledAt, target)),
      now,
    ),
    ...(needs.mediaIds.length > 0
      ? [
          mediaUseStatement(
            db,
            needs.mediaIds.map((id) => [id, post.id]),
          ),
        ]
      : []),
  ];
}

export function editWrites(db: Db, plan: EditPlan, now: number): D1PreparedStatement[] {
  const { posts } = plan;
  const targets = posts.flatMap((post) => post.targets.map((target) => targetRow(post.id, post.scheduledAt, target)));
  const removed = posts.flatMap((post) => post.removed.map((accountId) => [post.id, accountId]));
  const remade = posts.filter((post) => post.media !== null);
  const uses = remade.flatMap((post) =>
    [...new Set(post.media?.map(({ id }) => id))].map((id) => [id, post.id] as const),
  );
  return [
    updateStatement(db, posts, now),
    ...(removed.length > 0 ? [removalStatement(db, removed)] : []),
    ...(targets.length > 0 ? [targetsStatement(db, targets, now)] : []),
    ...(remade.length > 0
      ? [
          mediaReleaseStatement(
            db,
            remade.map(({ id }) => id),
          ),
        ]
      : []),
    ...(uses.length > 0 ? [mediaUseStatement(db, uses)] : []),
  ];
}

/** The calendar's columns are written only when one of the posts moves: every index on them costs a row. */
function updateStatement(db: Db, posts: readonly PlannedEdit[], now: number): D1PreparedStatement {
  const moves = posts.some((post) => post.retimed || post.status !== post.from);
  const calendar = `status = e.value ->> 'status', paused_reason = e.value ->> 'pausedReason',
    scheduled_at = e.value ->> 'scheduledAt', run_id = NULL, finished_at = NULL,`;
  const rows = posts.map(
    ({ id, status, pausedReason, scheduledAt, caption, postType, platforms, planHash, media }) => ({
      id,
      status,
      pausedReason,
      scheduledAt,
      caption,
      postType,
      platforms: JSON.stringify(platforms),
      planHash,
      media: media === null ? null : JSON.stringify(media),
    }),
  );
  return db.d1
    .prepare(
      `UPDATE posts SET ${moves ? calendar : ""} version = version + 1, caption = e.value ->> 'caption',
         post_type = e.value ->> 'postType', platforms = e.value ->> 'platforms', plan_hash = e.value ->> 'planHash',
         media = coalesce(e.value ->> 'media', media), updated_at = ?2,
         watch_at = iif(e.value ->> 'status' = 'scheduled', ?2 + ${WATCH_UNARMED_MS}, NULL)
       FROM json_each(?1) AS e WHERE posts.id = e.value ->> 'id'`,
    )
    .bind(JSON.stringify(rows), now);
}

interface TargetRow extends Omit<PlannedTarget, "options" | "asked"> {
  readonly postId: string;
  readonly dueAt: number;
  readonly options: string;
  readonly asked: string;
}

function targetRow(postId: string, dueAt: number, target: PlannedTarget): TargetRow {
  return { ...target, postId, dueAt, options: JSON.stringify(target.options), asked: JSON.stringify(target.asked) };
}

/** A target that was there keeps its attempts, its history and the parts of it that are public already. */
function targetsStatement(db: Db, rows: readonly TargetRow[], now: number): D1PreparedStatement {
  return db.d1
    .prepare(
      `INSERT INTO post_targets (post_id, account_id, platform, username, caption, effective_caption, options, asked, state,
         due_at, history, updated_at)
       SELECT t.value ->> 'postId', t.value ->> 'accountId', t.value ->> 'platform', t.value ->> 'username',
         t.value ->> 'caption', t.value ->> 'effectiveCaption', t.value ->> 'options', t.value ->> 'asked',
         iif(t.value ->> 'resting', 'skipped', 'pending'),
         t.value ->> 'dueAt', '[]', ?2
       FROM json_each(?1) AS t WHERE 1
       ON CONFLICT (post_id, account_id) DO UPDATE SET
         username = excluded.username, caption = excluded.caption, effective_caption = excluded.effective_caption,
         options = excluded.options, asked = excluded.asked, state = excluded.state, due_at = excluded.due_at, started_at = NULL,
         next_attempt_at = NULL, error = NULL, updated_at = excluded.updated_at`,
    )
    .bind(JSON.stringify(rows), now);
}

function removalStatement(db: Db, removed: readonly (readonly string[])[]): D1PreparedStatement {
  return db.d1
    .prepare(
      `DELETE FROM post_targets
       WHERE (post_id, account_id) IN (SELECT r.value ->> 0, r.value ->> 1 FROM json_each(?1) AS r)`,
    )
    .bind(JSON.stringify(removed));
}

function mediaReleaseStatement(db: Db, postIds: readonly string[]): D1PreparedStatement {
  return db.d1
    .prepare("DELETE FROM post_media WHERE post_id IN (SELECT value FROM json_each(?1))")
    .bind(JSON.stringify(postIds));
}

function mediaUseStatement(db: Db, uses: readonly (readonly [mediaId: string, postId: string])[]): D1PreparedStatement {
  return db.d1
    .prepare("INSERT INTO post_media (media_id, post_id) SELECT u.value ->> 0, u.value ->> 1 FROM json_each(?1) AS u")
    .bind(JSON.stringify(uses));
}
