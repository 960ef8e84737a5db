import type { Author } from "#core/actor.ts";
import type { PausedReason } from "#core/codes.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import type { CreatedVia, ListedStatus, PostStatus, PostType, TargetState } from "#core/status.ts";
import type { StoredAttempt, StoredExtras, StoredMediaItem, StoredTargetError } from "#db/schema.ts";
import { ANNOTATIONS_SQL, readAnnotations } from "./store-annotation-rows.ts";
import { mayBeInFlight, targetStatus } from "./target-status.ts";
import type { Post, PostSummary, Target } from "./types.ts";
import { threadParts } from "./thread-parts.ts";

/** By member of an object: the SQL expression that reads it from the target row `t`. */
type SqlMembers<T> = { readonly [Member in keyof T]: string };

/**
 * SQL for a `json_object`. A target takes two of them, because D1 allows a function only 32 arguments, which are 16
 * members.
 */
function jsonObject<T>(members: SqlMembers<T>): string {
  return `json_object(${Object.entries(members)
    .map(([name, expression]) => `'${name}', ${String(expression)}`)
    .join(", ")})`;
}

interface TargetContent {
  readonly accountId: string;
  readonly position: number;
  readonly platform: Platform;
  readonly username: string;
  readonly caption: string | null;
  readonly effectiveCaption: string;
  readonly options: JsonObject;
  readonly requestedOptions: JsonObject;
  /** The media that only this account publishes. Null if it publishes the post's media. */
  readonly media: readonly StoredMediaItem[] | null;
  /** The parts that several visible calls have already published. */
  readonly parts: JsonValue;
}

/** How far publishing the target has come. */
interface TargetProgress {
  readonly state: TargetState;
  readonly dueAt: number;
  readonly startedAt: number | null;
  readonly publishedAt: number | null;
  readonly attempts: number;
  readonly nextAttemptAt: number | null;
  readonly remoteId: string | null;
  readonly remoteUrl: string | null;
  readonly error: StoredTargetError | null;
  readonly extras: StoredExtras | null;
  readonly verifyHistory: readonly StoredAttempt[] | null;
}

interface TargetRow {
  readonly content: TargetContent;
  readonly progress: TargetProgress;
}

const TARGET_OBJECT = jsonObject<TargetRow>({
  content: jsonObject<TargetContent>({
    accountId: "t.account_id",
    position: "t.position",
    platform: "t.platform",
    username: "t.username",
    caption: "t.caption",
    effectiveCaption: "t.effective_caption",
    options: "json(t.options)",
    requestedOptions: "json(t.requested_options)",
    media: "json(t.media)",
    parts: "json(t.progress)",
  }),
  progress: jsonObject<TargetProgress>({
    state: "t.state",
    dueAt: "t.due_at",
    startedAt: "t.started_at",
    publishedAt: "t.published_at",
    attempts: "t.attempts",
    nextAttemptAt: "t.next_attempt_at",
    remoteId: "t.remote_id",
    remoteUrl: "t.remote_url",
    error: "json(t.error)",
    extras: "json(t.extras)",
    verifyHistory: "iif(t.state = 'verifying', json(t.history), NULL)",
  }),
});

/** SQL for the columns of a whole post `p` with its targets, so that one statement reads both. */
export const POST_COLUMNS = `p.id AS id, p.workspace_id AS workspace_id, p.status AS status, p.paused_reason AS paused_reason,
  p.scheduled_at AS scheduled_at, p.version AS version, p.watch_at AS watch_at, p.post_type AS post_type, p.caption AS caption,
  p.media AS media, p.platforms AS platforms, p.plan_hash AS plan_hash, p.created_via AS created_via, p.created_by AS created_by, p.created_at AS created_at,
  p.updated_at AS updated_at,
  ${ANNOTATIONS_SQL} AS annotations,
  (SELECT json_group_array(${TARGET_OBJECT}) FROM post_targets t WHERE t.post_id = p.id) AS targets`;

export const SUMMARY_COLUMNS = `p.id AS id, p.status AS status, p.scheduled_at AS scheduled_at, p.version AS version,
  p.watch_at AS watch_at, substr(p.caption, 1, 140) AS caption, p.post_type AS post_type, p.platforms AS platforms,
  json_array_length(p.media) AS media_count,
  (SELECT json_array(count(*), coalesce(max(json_array_length(t.media)), 0)) FROM post_targets t WHERE t.post_id = p.id) AS target_counts,
  ${ANNOTATIONS_SQL} AS annotations`;

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
  readonly created_by: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly annotations: string | null;
  readonly targets: string;
}

export interface SummaryRow extends CommonPostColumns {
  readonly status: ListedStatus;
  readonly caption: string;
  readonly post_type: PostType;
  readonly media_count: number;
  /** A JSON array: the number of targets, and the own media of the target with the most. */
  readonly target_counts: string;
  readonly annotations: string | null;
}

/** A stored target, including members that the API does not show. */
export interface StoredTarget {
  readonly accountId: string;
  readonly position: number;
  readonly platform: Platform;
  readonly username: string;
  readonly caption: string | null;
  readonly effectiveCaption: string;
  readonly options: JsonObject;
  readonly requestedOptions: JsonObject;
  readonly media: readonly StoredMediaItem[] | null;
  /** The progress of publishing (`Job.progress` in the adapter contract). */
  readonly parts: JsonValue;
  readonly state: TargetState;
  readonly dueAt: number;
}

export interface StoredPost {
  readonly post: Post;
  readonly targets: readonly StoredTarget[];
}

export function toStoredPost(row: PostRow, now: number): StoredPost {
  const rows = targetRows(row);
  return {
    post: toPostWithTargets(row, rows, now),
    targets: rows.map(({ content, progress: { state, dueAt } }) => ({ ...content, state, dueAt })),
  };
}

export function toPost(row: PostRow, now: number): Post {
  return toPostWithTargets(row, targetRows(row), now);
}

/**
 * Parses the targets of a post and sorts them. SQL does not sort them, because D1 would count every target as read
 * twice.
 */
function targetRows(row: Pick<PostRow, "targets">): TargetRow[] {
  const rows = JSON.parse(row.targets) as TargetRow[];
  return rows.toSorted(
    ({ content: a }, { content: b }) => a.position - b.position || (a.accountId < b.accountId ? -1 : 1),
  );
}

function toPostWithTargets(row: PostRow, rows: readonly TargetRow[], now: number): Post {
  const targets = rows.map((target) => toTarget(target, row.status, now));
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
    createdBy: row.created_by === null ? null : (JSON.parse(row.created_by) as Author),
    // A publishing post has a paused reason only after a restore, while the service looks up its targets. If none is
    // published, the post is paused for that reason.
    pausedReason: row.status === "publishing" ? null : row.paused_reason,
    planHash: row.plan_hash,
    targets,
    mediaItems: JSON.parse(row.media) as StoredMediaItem[],
    annotations: readAnnotations(row),
  };
}

/** When (ms) the last published target became public. Null until the post is done. */
function publishedAt(status: PostStatus, targets: readonly Target[]): number | null {
  if (status !== "published" && status !== "partially_failed") {
    return null;
  }
  const publishedTimes = targets.flatMap((target) => (target.publishedAt === null ? [] : [target.publishedAt]));
  return publishedTimes.length === 0 ? null : Math.max(...publishedTimes);
}

function toTarget({ content, progress }: TargetRow, postStatus: PostStatus, now: number): Target {
  const { accountId, platform, username, caption, effectiveCaption } = content;
  const { publishedAt: published, startedAt, dueAt, nextAttemptAt, state } = progress;
  const circumstances = { postStatus, nextAttemptAt, history: progress.verifyHistory ?? [], now };
  const status = targetStatus(state, circumstances);
  return {
    accountId,
    platform,
    username,
    caption,
    effectiveCaption,
    platformOptions: content.options,
    mediaItems: content.media,
    status,
    platformPostId: progress.remoteId,
    platformPostUrl: progress.remoteUrl,
    publishedAt: published,
    attempts: progress.attempts,
    nextAttemptAt: mayBeInFlight(state, circumstances) ? null : nextAttemptAt,
    error: progress.error as Target["error"],
    extras: progress.extras as Target["extras"],
    dueAt,
    startedAt,
    // Lateness ends at the visible call: a platform that the service polls reports the publication only later.
    lateByMs: published === null ? null : Math.max(0, (startedAt ?? published) - dueAt),
    parts: threadParts(content.options, { progress: content.parts, status }),
  };
}

export function toSummary(row: SummaryRow): PostSummary {
  const { externalId, labels } = readAnnotations(row);
  const [targetCount, mediaOfTarget] = JSON.parse(row.target_counts) as [number, number];
  return {
    id: row.id,
    status: row.status,
    scheduledAt: row.scheduled_at,
    caption: row.caption,
    postType: row.post_type,
    platforms: JSON.parse(row.platforms) as Platform[],
    targetCount,
    // If the post has no media, its accounts may have own media.
    mediaCount: row.media_count || mediaOfTarget,
    externalId,
    labels,
  };
}
