import type { Actor } from "#core/actor.ts";
import type { PausedReason } from "#core/codes.ts";
import type { Platform } from "#core/platform.ts";
import {
  type CreatedVia,
  type ListedStatus,
  type MediaType,
  POST_STATUSES,
  type PostStatus,
  type PostType,
  type TargetState,
} from "#core/status.ts";
import type { StoredAttempt } from "#db/schema.ts";
import type { Statement } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import type { CalendarFilter } from "./types.ts";
import { annotationConditions } from "#posts/list/store-annotated-pages.ts";
import { hasWordsSql } from "#posts/list/store-search-pages.ts";
import { wordsOfSearch } from "#posts/rows/search-text.ts";
import { SqlParameters } from "#posts/summary/store-counted-posts.ts";
import { fromPostsByTimeSql, postsByTimeSql } from "#posts/rows/store-posts-by-time.ts";

export interface CalendarTargetRow {
  readonly accountId: string;
  readonly platform: Platform;
  readonly position: number;
  readonly state: TargetState;
  readonly nextAttemptAt: number | null;
  readonly verifyHistory: readonly StoredAttempt[] | null;
  /** How many own media items the account has. Set only if the post itself has no media. */
  readonly ownMediaCount: number | null;
  readonly firstOwnMedia: { readonly type: MediaType; readonly url: string } | null;
}

export interface CalendarRow {
  readonly id: string;
  readonly status: ListedStatus;
  readonly paused_reason: PausedReason | null;
  readonly scheduled_at: number;
  readonly version: number;
  readonly watch_at: number | null;
  readonly caption: string;
  readonly post_type: PostType;
  readonly platforms: string;
  readonly created_via: CreatedVia;
  readonly media_count: number;
  readonly media_type: MediaType | null;
  readonly media_url: string | null;
  /** The targets as a JSON array of `CalendarTargetRow`, in no order. */
  readonly targets: string;
}

const TARGETS = `(SELECT json_group_array(json_object('accountId', t.account_id, 'platform', t.platform, 'position', t.position,
    'state', t.state, 'nextAttemptAt', t.next_attempt_at, 'verifyHistory', iif(t.state = 'verifying', json(t.history), NULL),
    'ownMediaCount', iif(p.media = '[]', json_array_length(t.media), NULL), 'firstOwnMedia', iif(p.media = '[]', t.media -> '$[0]', NULL)))
  FROM post_targets t WHERE t.post_id = p.id)`;

/** SQL for the columns of a `CalendarRow`, from the table alias `p` of posts. */
export const CALENDAR_COLUMNS = `p.id AS id, p.status AS status, p.paused_reason AS paused_reason, p.scheduled_at AS scheduled_at, p.version AS version,
  p.watch_at AS watch_at, substr(p.caption, 1, 140) AS caption, p.post_type AS post_type, p.platforms AS platforms,
  p.created_via AS created_via, json_array_length(p.media) AS media_count,
  json_extract(p.media, '$[0].type') AS media_type, json_extract(p.media, '$[0].url') AS media_url, ${TARGETS} AS targets`;

/** SQL conditions of a filter on a post `p`. Those on status and annotations are left out, because callers add them. */
export function filterConditions(
  { createdVia, platform, accountId, search }: CalendarFilter,
  params: Pick<SqlParameters, "add">,
): readonly string[] {
  return [
    ...(createdVia === undefined ? [] : [`p.created_via = ${params.add(createdVia)}`]),
    ...(platform === undefined
      ? []
      : [`EXISTS (SELECT 1 FROM json_each(p.platforms) WHERE value = ${params.add(platform)})`]),
    ...(accountId === undefined
      ? []
      : [`EXISTS (SELECT 1 FROM post_targets f WHERE f.post_id = p.id AND f.account_id = ${params.add(accountId)})`]),
    ...(search === undefined ? [] : [hasWordsSql(wordsOfSearch(search), params)]),
  ];
}

/**
 * A statement that selects the posts of a time range, ordered by time. Filters other than the status are checked row by
 * row.
 */
export function calendarStatement(
  db: Db,
  actor: Actor,
  range: TimeRange,
  filter: CalendarFilter,
): Statement<CalendarRow> {
  const statuses = filter.status === undefined ? POST_STATUSES : [filter.status];
  return rangeStatement(db, actor, range, { filter, statuses, columns: CALENDAR_COLUMNS });
}

/** A cancelled post, which lists do not contain. */
export type CancelledPost = Pick<CalendarRow, "id" | "scheduled_at" | "caption" | "platforms">;

/** A statement that selects the cancelled posts of a time range. */
export function cancelledPostsStatement(
  db: Db,
  actor: Actor,
  range: TimeRange,
  filter: CalendarFilter,
): Statement<CancelledPost> {
  const columns =
    "p.id AS id, p.scheduled_at AS scheduled_at, substr(p.caption, 1, 140) AS caption, p.platforms AS platforms";
  return rangeStatement(db, actor, range, { filter, statuses: ["cancelled"], columns });
}

interface TimeRange {
  readonly from: number;
  readonly until: number;
  readonly rows: number;
}

function rangeStatement<Row>(
  db: Db,
  actor: Actor,
  range: TimeRange,
  {
    filter,
    statuses,
    columns,
  }: { readonly filter: CalendarFilter; readonly statuses: readonly PostStatus[]; readonly columns: string },
): Statement<Row> {
  const params = new SqlParameters();
  for (const value of [actor.workspaceId, range.from, range.until, actor.userId, range.rows]) {
    params.add(value);
  }
  const conditions = [
    "p.workspace_id = ?1 AND p.scheduled_at >= ?2 AND p.scheduled_at < ?3 AND p.user_id = ?4",
    ...filterConditions(filter, params),
    ...annotationConditions(filter, (value) => params.add(value)),
  ];
  const selected = postsByTimeSql({
    statuses,
    where: conditions.join(" AND "),
  });
  return db.d1.prepare(`SELECT ${columns} ${fromPostsByTimeSql(`${selected} LIMIT ?5`)}`).bind(...params.values);
}
