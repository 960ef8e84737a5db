import type { Actor } from "#core/actor.ts";
import { type ListedStatus, POST_STATUSES, type PostStatus } from "#core/status.ts";
import type { Statement } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { cutTextsSql } from "#db/cut-texts.ts";
import { countRowsSql, countSql, pageStart, SqlParameters } from "#posts/summary/store-counted-posts.ts";
import type { PostTextRow } from "#posts/rows/post-texts.ts";
import { fromPostsByTimeSql, postsByTimeSql } from "#posts/rows/store-posts-by-time.ts";

/* Lists posts from one or two segments (time ranges), one after the other. Totals and deep offsets use the day
   counters and never scan the posts. */

/**
 * The status of a segment. `unfinished` means publishing or scheduled: in the past, these posts wait for their next
 * try.
 */
type SegmentStatus = ListedStatus | "unfinished" | null;

/** Posts with `from` <= time < `until` and one status. Null means every status that lists show. */
export interface ListSegment {
  readonly status: SegmentStatus;
  readonly from: number;
  readonly until: number;
}

export interface PageRequest {
  readonly segments: readonly ListSegment[];
  readonly order: "asc" | "desc";
  /** SQL columns to select from a post `p`. They may use `NOW_PARAMETER` for the present time. */
  readonly columns: string;
  readonly now: number;
  /** How many rows to read: one more than the page, to see whether further posts follow. */
  readonly rows: number;
  readonly offset: number;
  /** Whether each statement must cut its texts at 4 MiB (`CutTextRow`). */
  readonly isCut?: boolean;
}

export interface CutTextRow extends Pick<PostTextRow, "overdue_id"> {
  /** The text; null if it is beyond the limit. */
  readonly text: string | null;
  /** The total bytes of the texts from the first row of the statement to this one. */
  readonly bytes: number;
}

export function cutSql(sql: string, { isCut = false }: Pick<PageRequest, "isCut">): string {
  return isCut ? cutTextsSql(sql, { text: "text", others: "overdue_id" }) : sql;
}

/** Above this offset, a page skips posts by the day counters instead of row by row. */
const DEEP_OFFSET = 1000;

/** The statements whose rows together are the page, and the statement of the total. */
export interface PageStatements {
  readonly pages: readonly D1PreparedStatement[];
  readonly total: Statement<TotalRow>;
}

export interface TotalRow {
  readonly total: number;
  /** How many posts a search has examined, with their first and last time. Absent without a search. */
  readonly searched?: number;
  readonly first?: number | null;
  readonly last?: number | null;
}

export function pageStatements(db: Db, actor: Actor, request: PageRequest): PageStatements {
  const pages =
    request.offset <= DEEP_OFFSET
      ? [pageStatement(db, actor, request)]
      : request.segments.map((_, index) =>
          prepareWithParameters(db, (params) => cutSql(deepPageSql(params, actor, request, index), request)),
        );
  const total = prepareWithParameters(
    db,
    (params) =>
      `SELECT ${request.segments.map((segment) => segmentCountSql(params, actor, segment)).join(" + ") || "0"} AS total`,
  );
  return { pages, total };
}

/**
 * A statement that reads the page from all segments at once. Each status has only one time range, because segments are
 * adjacent.
 */
function pageStatement(db: Db, actor: Actor, request: PageRequest): D1PreparedStatement {
  const { segments, order, columns, now, rows, offset } = request;
  const ranges: TimeRange[] = [];
  const rangeOf = POST_STATUSES.map((status) => {
    const range = rangeOfStatus(segments, status);
    if (range === null) {
      return -1;
    }
    const known = ranges.findIndex(({ from, until }) => from === range.from && until === range.until);
    return known === -1 ? ranges.push(range) - 1 : known;
  });
  const sql = cutSql(pageSqlOf(columns, order, rangeOf), request);
  return db.d1
    .prepare(sql)
    .bind(actor.workspaceId, actor.userId, now, rows, offset, ...ranges.flatMap(({ from, until }) => [from, until]));
}

interface TimeRange {
  readonly from: number;
  readonly until: number;
}

/** The time range in which the list shows posts with this status. Null if it shows none. */
export function rangeOfStatus(segments: readonly ListSegment[], status: ListedStatus): TimeRange | null {
  const found = segments.filter((segment) => statusesOf(segment.status).includes(status));
  return found.length === 0
    ? null
    : { from: Math.min(...found.map(({ from }) => from)), until: Math.max(...found.map(({ until }) => until)) };
}

/** The SQL per columns, order and statuses. It is kept, because building the long text takes time. */
const pageSqls = new Map<string, Map<string, string>>();

/**
 * SQL for a page. `rangeOf` contains, for each status, the number of its time range (two parameters after ?5), or -1 if
 * the list leaves the status out.
 */
function pageSqlOf(columns: string, order: "asc" | "desc", rangeOf: readonly number[]): string {
  const ofColumns = pageSqls.get(columns) ?? new Map<string, string>();
  pageSqls.set(columns, ofColumns);
  const shape = `${order} ${rangeOf.join()}`;
  const known = ofColumns.get(shape);
  if (known !== undefined) {
    return known;
  }
  const statuses = POST_STATUSES.filter((_, index) => rangeOf[index] !== -1);
  const where = (status: PostStatus) => {
    const first = 6 + 2 * (rangeOf[POST_STATUSES.indexOf(status as ListedStatus)] ?? 0);
    return `p.workspace_id = ?1 AND ${rangeSql(`?${first}`, `?${first + 1}`)}`;
  };
  const selected =
    statuses.length === 0
      ? "SELECT NULL AS row WHERE 0 LIMIT ?4 OFFSET ?5"
      : `${postsByTimeSql({ statuses, where, order })} LIMIT ?4 OFFSET ?5`;
  const sql = `SELECT ${columns} ${fromPostsByTimeSql(selected)} AND p.user_id = ?2`;
  ofColumns.set(shape, sql);
  return sql;
}

function prepareWithParameters(db: Db, buildSql: (params: SqlParameters) => string): D1PreparedStatement {
  const params = new SqlParameters();
  const sql = buildSql(params);
  return db.d1.prepare(sql).bind(...params.values);
}

/**
 * SQL for a page far into the list. It first skips whole days by their counters, so it never reads the posts before the
 * page. A segment is one range of times.
 */
function deepPageSql(params: SqlParameters, actor: Actor, request: PageRequest, index: number): string {
  const { order, offset, rows, columns } = request;
  const segment = request.segments[index] as ListSegment;
  const [workspaceId, userId] = [params.add(actor.workspaceId), params.add(actor.userId)];
  params.add(request.now);
  const before = request.segments.slice(0, index).map((earlier) => segmentCountSql(params, actor, earlier));
  const tables = before.length === 0 ? [] : [`earlier AS MATERIALIZED (SELECT ${before.join(" + ")} AS n)`];
  // How much of the offset or the page is left after the earlier segments.
  const left = (of: number) =>
    before.length === 0 ? params.add(of) : `max(0, ${params.add(of)} - (SELECT n FROM earlier))`;
  const skip = left(offset);
  const limit = before.length === 0 ? left(rows) : `min(${params.add(rows)}, ${left(rows + offset)})`;
  const page = pageRange(params, actor, request, segment, skip);
  const where = `p.workspace_id = ${workspaceId} AND ${page.range}`;
  const selected = `${postsByTimeSql({ statuses: statusesOf(segment.status), where, order })} LIMIT ${limit} OFFSET ${page.skip}`;
  const allTables = [...tables, ...page.tables];
  return `${allTables.length === 0 ? "" : `WITH ${allTables.join(", ")} `}SELECT ${columns} ${fromPostsByTimeSql(selected)} AND p.user_id = ${userId}`;
}

/** The time range from which the page is read, and how many of its posts to skip. */
function pageRange(
  params: SqlParameters,
  actor: Actor,
  { order }: PageRequest,
  segment: ListSegment,
  skip: string,
): { readonly tables: readonly string[]; readonly range: string; readonly skip: string } {
  const { status, from, until } = segment;
  if (isFew(status)) {
    return { tables: [], range: rangeSql(params.add(from), params.add(until)), skip };
  }
  const start = pageStart(params, { ...segment, status, workspaceId: actor.workspaceId }, order, skip);
  const range = order === "asc" ? rangeSql(start.at, params.add(until)) : rangeSql(params.add(from), start.at);
  return { ...start, range };
}

export function statusesOf(status: SegmentStatus): readonly ListedStatus[] {
  if (status === "unfinished") {
    return ["publishing", "scheduled"];
  }
  return status === null ? POST_STATUSES : [status];
}

/**
 * Whether to count rows instead of using the day counters. Unfinished posts of the past are few, and their days may be
 * years ago.
 */
export function isFew(status: SegmentStatus): status is "unfinished" | "publishing" {
  return status === "publishing" || status === "unfinished";
}

function rangeSql(from: string, until: string): string {
  return `p.scheduled_at >= ${from} AND p.scheduled_at < ${until}`;
}

function segmentCountSql(params: SqlParameters, actor: Actor, segment: ListSegment): string {
  const { status } = segment;
  return isFew(status)
    ? countRowsSql(params, actor.workspaceId, statusesOf(status), segment)
    : countSql(params, { ...segment, status, workspaceId: actor.workspaceId });
}
