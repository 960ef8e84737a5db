import type { PausedReason } from "#core/codes.ts";
import type { JsonObject } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import type { CreatedVia, ListedStatus, PostStatus, PostType, TargetState } from "#core/status.ts";
import type { StoredAttempt, StoredMediaItem, StoredTargetError } from "#db/schema.ts";
import { targetStatus } from "./target-status.ts";
import type { Post, PostSummary, Target } from "#posting/types.ts";

/*
 * One statement reads a post with its targets. They are one JSON column, each target an array in the order of TARGET_FIELDS:
 * an object with names would exceed the 32 arguments that D1 allows a function.
 */

const TARGET_FIELDS = [
  "t.account_id",
  "t.platform",
  "t.username",
  "t.caption",
  "t.effective_caption",
  "json(t.options)",
  "json(t.asked)",
  "t.state",
  "t.due_at",
  "t.started_at",
  "t.published_at",
  "t.attempts",
  "t.next_attempt_at",
  "t.remote_id",
  "t.remote_url",
  "json(t.error)",
  "iif(t.state = 'verifying', json(t.history), NULL)",
];

type TargetTuple = readonly [
  accountId: string,
  platform: Platform,
  username: string,
  caption: string | null,
  effectiveCaption: string,
  options: JsonObject,
  requestedOptions: JsonObject | null,
  state: TargetState,
  dueAt: number,
  startedAt: number | null,
  publishedAt: number | null,
  attempts: number,
  nextAttemptAt: number | null,
  remoteId: string | null,
  remoteUrl: string | null,
  error: StoredTargetError | null,
  verifyHistory: readonly StoredAttempt[] | null,
];

/** The columns of a whole post; the statement calls the table `p`. */
export const POST_COLUMNS = `p.id AS id, p.workspace_id AS workspace_id, p.status AS status, p.paused_reason AS paused_reason,
  p.scheduled_at AS scheduled_at, p.version AS version, p.watch_at AS watch_at, p.post_type AS post_type, p.caption AS caption,
  p.media AS media, p.platforms AS platforms, p.plan_hash AS plan_hash, p.created_via AS created_via, p.created_at AS created_at,
  p.updated_at AS updated_at,
  (SELECT json_group_array(json_array(${TARGET_FIELDS.join(", ")})) FROM post_targets t WHERE t.post_id = p.id) AS targets`;

export const SUMMARY_COLUMNS = `p.id AS id, p.status AS status, p.scheduled_at AS scheduled_at, p.version AS version,
  p.watch_at AS watch_at, substr(p.caption, 1, 140) AS caption, p.post_type AS post_type, p.platforms AS platforms,
  json_array_length(p.media) AS media_count, (SELECT count(*) FROM post_targets t WHERE t.post_id = p.id) AS target_count`;

interface CommonPostColumns {
  readonly id: string;
  readonly status: PostStatus;
  readonly scheduled_at: number;
  readonly version: number;
  readonly watch_at: number | null;
  readonly platforms: string;
}

export interface PostRow extends CommonPostColumns {
  readonly workspace_id: string;
  readonly paused_reason: PausedReason | null;
  readonly post_type: PostType;
  readonly caption: string;
  readonly media: string;
  readonly plan_hash: string;
  readonly created_via: CreatedVia;
  readonly created_at: number;
  readonly updated_at: number;
  readonly targets: string;
}

export interface SummaryRow extends CommonPostColumns {
  readonly status: ListedStatus;
  readonly caption: string;
  readonly post_type: PostType;
  readonly media_count: number;
  readonly target_count: number;
}

/** A target as stored, with what the API does not show. */
export interface StoredTarget {
  readonly accountId: string;
  readonly platform: Platform;
  readonly username: string;
  readonly caption: string | null;
  readonly effectiveCaption: string;
  readonly options: JsonObject;
  readonly requestedOptions: JsonObject;
  readonly state: TargetState;
  readonly dueAt: number;
}

export interface StoredPost {
  readonly post: Post;
  readonly targets: readonly StoredTarget[];
}

export function toStoredPost(row: PostRow, now: number): StoredPost {
  const tuples = JSON.parse(row.targets) as TargetTuple[];
  return {
    post: toPostWithTargets(row, tuples, now),
    targets: tuples.map(
      ([accountId, platform, username, caption, effectiveCaption, options, requestedOptions, state, dueAt]) => ({
        accountId,
        platform,
        username,
        caption,
        effectiveCaption,
        options,
        requestedOptions: requestedOptions ?? options,
        state,
        dueAt,
      }),
    ),
  };
}

export function toPost(row: PostRow, now: number): Post {
  return toPostWithTargets(row, JSON.parse(row.targets) as TargetTuple[], now);
}

function toPostWithTargets(row: PostRow, tuples: readonly TargetTuple[], now: number): Post {
  const targets = tuples.map((tuple) => toTarget(tuple, now));
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    status: row.status,
    caption: row.caption,
    postType: row.post_type,
    scheduledAt: row.scheduled_at,
    publishedAt: publishedAt(row.status, targets),
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    createdVia: row.created_via,
    pausedReason: row.paused_reason,
    planHash: row.plan_hash,
    targets,
    mediaItems: JSON.parse(row.media) as StoredMediaItem[],
  };
}

/** When the last published target became public; null while the post is not done. */
function publishedAt(status: PostStatus, targets: readonly Target[]): number | null {
  if (status !== "published" && status !== "partially_failed") {
    return null;
  }
  const publishedTimes = targets.flatMap((target) => (target.publishedAt === null ? [] : [target.publishedAt]));
  return publishedTimes.length === 0 ? null : Math.max(...publishedTimes);
}

function toTarget(tuple: TargetTuple, now: number): Target {
  const [accountId, platform, username, caption, effectiveCaption, platformOptions, , state, dueAt, ...results] = tuple;
  const [startedAt, published, attempts, nextAttemptAt, platformPostId, platformPostUrl, error, verifyHistory] =
    results;
  return {
    accountId,
    platform,
    username,
    caption,
    effectiveCaption,
    platformOptions,
    status: targetStatus(state, verifyHistory ?? [], now),
    platformPostId,
    platformPostUrl,
    publishedAt: published,
    attempts,
    nextAttemptAt,
    error: error as Target["error"],
    dueAt,
    startedAt,
    // Measured to the visible call, because a platform that is polled reports the publication later.
    lateByMs: published === null ? null : Math.max(0, (startedAt ?? published) - dueAt),
  };
}

export function toSummary(row: SummaryRow): PostSummary {
  return {
    id: row.id,
    status: row.status,
    scheduledAt: row.scheduled_at,
    caption: row.caption,
    postType: row.post_type,
    platforms: JSON.parse(row.platforms) as Platform[],
    targetCount: row.target_count,
    mediaCount: row.media_count,
  };
}
