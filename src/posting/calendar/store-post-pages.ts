import type { Actor } from "#core/actor.ts";
import { DAY } from "#core/clock.ts";
import { type ListedStatus, POST_STATUSES } from "#core/status.ts";
import type { Db } from "#db/client.ts";
import { fromPostsByTimeSql, postsByTimeSql, statusListSql } from "./store-posts-by-time.ts";

/*
 * A list is one or two segments of the calendar, one after the other. Totals and offsets never scan the posts: whole days are
 * taken from post_days, and only the partial days at both ends of a segment are counted, by index.
 */

/** `unfinished`: publishing, or scheduled; among past posts, the ones that wait for their next try. */
type SegmentStatus = ListedStatus | "unfinished" | null;

/** Posts with `from` <= time < `until`, of one status or of all that are listed. */
export interface ListSegment {
  readonly status: SegmentStatus;
  readonly from: number;
  readonly until: number;
}

export interface PageRequest {
  /** In the order of the list. */
  readonly segments: readonly ListSegment[];
  readonly order: "asc" | "desc";
  /** What is selected of a row `p`; `now` is the parameter that holds the present time. */
  readonly columns: (now: string) => string;
  readonly now: number;
  /** Rows to read: one more than the page, to know whether more follow. */
  readonly rows: number;
  readonly offset: number;
}

/** The upper bound of a list: the largest JavaScript date, a whole number of days. */
export const MAX_INSTANT = 8_640_000_000_000_000;
/** From this offset on, whole days are skipped by their counters instead of row by row. */
const DEEP_OFFSET = 1000;

/** Collects parameters while a statement is built. */
class SqlParameters {
  readonly values: (string | number)[] = [];

  add(value: string | number): string {
    this.values.push(value);
    return `?${this.values.length}`;
  }
}

/** One page statement per segment and, last, the total. */
export function pageStatements(db: Db, actor: Actor, request: PageRequest): D1PreparedStatement[] {
  const pages = request.segments.map((_, index) =>
    prepareWithParameters(db, (params) => pageSql(params, actor, request, index)),
  );
  const total = prepareWithParameters(
    db,
    (params) =>
      `SELECT ${request.segments.map((segment) => countSql(params, actor, segment)).join(" + ") || "0"} AS total`,
  );
  return [...pages, total];
}

function prepareWithParameters(db: Db, buildSql: (params: SqlParameters) => string): D1PreparedStatement {
  const params = new SqlParameters();
  const sql = buildSql(params);
  return db.d1.prepare(sql).bind(...params.values);
}

function pageSql(params: SqlParameters, actor: Actor, request: PageRequest, index: number): string {
  const { order, offset, rows } = request;
  const segment = request.segments[index] as ListSegment;
  const columns = request.columns(params.add(request.now));
  const before = request.segments.slice(0, index).map((earlier) => countSql(params, actor, earlier));
  // What the earlier segments leave of the offset and of the page.
  const skip = before.length === 0 ? params.add(offset) : `max(0, ${params.add(offset)} - (${before.join(" + ")}))`;
  const limit =
    before.length === 0
      ? params.add(rows)
      : `max(0, min(${params.add(rows)}, ${params.add(rows + offset)} - (${before.join(" + ")})))`;
  const page =
    offset > DEEP_OFFSET
      ? deepOffsetRange(params, actor, segment, order, skip)
      : { start: "", range: rangeSql(params.add(segment.from), params.add(segment.until)), skip };
  const where = `p.workspace_id = ${params.add(actor.workspaceId)} AND ${page.range}`;
  const selected = `${postsByTimeSql({ statuses: statusesOf(segment.status), where, order })} LIMIT ${limit} OFFSET ${page.skip}`;
  return `${page.start}SELECT ${columns} ${fromPostsByTimeSql(selected)} AND p.user_id = ${params.add(actor.userId)}`;
}

function statusesOf(status: SegmentStatus): readonly ListedStatus[] {
  if (status === "unfinished") {
    return ["publishing", "scheduled"];
  }
  return status === null ? POST_STATUSES : [status];
}

function rangeSql(from: string, until: string): string {
  return `p.scheduled_at >= ${from} AND p.scheduled_at < ${until}`;
}

/** How many posts a segment has, as one scalar expression. */
function countSql(params: SqlParameters, actor: Actor, segment: ListSegment): string {
  const { first, end } = wholeDays(segment);
  // Unfinished posts of the past are few, and their days may be years ago.
  if (segment.status === "publishing" || segment.status === "unfinished" || first >= end) {
    return countRowsSql(params, actor, segment, segment.from, segment.until);
  }
  return `(${wholeDaysSql(params, actor, segment)} + ${firstPartialDaySql(params, actor, segment)} + ${lastPartialDaySql(params, actor, segment)})`;
}

/** The UTC days that lie completely within the segment: `first` <= day < `end`. */
function wholeDays({ from, until }: ListSegment): { readonly first: number; readonly end: number } {
  return { first: Math.ceil(from / DAY), end: Math.floor(until / DAY) };
}

function wholeDaysSql(params: SqlParameters, actor: Actor, segment: ListSegment): string {
  const { first, end } = wholeDays(segment);
  return `(SELECT coalesce(sum(${countColumns(segment.status)}), 0) FROM post_days
    WHERE workspace_id = ${params.add(actor.workspaceId)} AND day >= ${params.add(first)} AND day < ${params.add(end)})`;
}

/** The column of post_days, or the sum of all; column names cannot be parameters, but come from a closed list. */
function countColumns(status: SegmentStatus): string {
  return status === "unfinished"
    ? "(publishing + scheduled)"
    : (status ?? "(scheduled + publishing + published + partially_failed + failed + paused)");
}

function firstPartialDaySql(params: SqlParameters, actor: Actor, segment: ListSegment): string {
  return countRowsSql(params, actor, segment, segment.from, wholeDays(segment).first * DAY);
}

function lastPartialDaySql(params: SqlParameters, actor: Actor, segment: ListSegment): string {
  return countRowsSql(params, actor, segment, wholeDays(segment).end * DAY, segment.until);
}

function countRowsSql(
  params: SqlParameters,
  actor: Actor,
  { status }: ListSegment,
  from: number,
  until: number,
): string {
  return from >= until
    ? "0"
    : `(SELECT count(*) FROM posts p WHERE p.workspace_id = ${params.add(actor.workspaceId)}
        AND p.status IN ${statusListSql(statusesOf(status))} AND ${rangeSql(params.add(from), params.add(until))})`;
}

/** The range that starts with the day in which the offset falls, computed once in `start`, and how many rows to skip within it. */
function deepOffsetRange(
  params: SqlParameters,
  actor: Actor,
  segment: ListSegment,
  order: "asc" | "desc",
  skip: string,
) {
  const { first, end } = wholeDays(segment);
  const [from, until] = [params.add(segment.from), params.add(segment.until)];
  if (segment.status === "publishing" || segment.status === "unfinished" || first >= end) {
    return { start: "", range: rangeSql(from, until), skip };
  }
  const asc = order === "asc";
  const partialDay = asc ? firstPartialDaySql(params, actor, segment) : lastPartialDaySql(params, actor, segment);
  const days = `SELECT day, n, sum(n) OVER (ORDER BY day ${order}) AS cumulative FROM (
    SELECT day, ${countColumns(segment.status)} AS n FROM post_days
    WHERE workspace_id = ${params.add(actor.workspaceId)} AND day >= ${params.add(first)} AND day < ${params.add(end)})`;
  const columnOfOffsetDay = (column: string) =>
    `(SELECT ${column} FROM (${days}) WHERE cumulative > ${skip} - ${partialDay} ORDER BY day ${order} LIMIT 1)`;
  const wholeDaysCount = wholeDaysSql(params, actor, segment);
  // The offset is before the first whole day, in one of them, or after the last.
  const start = asc
    ? `iif(${skip} < ${partialDay}, ${from}, coalesce(${columnOfOffsetDay(`day * ${DAY}`)}, ${params.add(end * DAY)}))`
    : `iif(${skip} < ${partialDay}, ${until}, coalesce(${columnOfOffsetDay(`(day + 1) * ${DAY}`)}, ${params.add(first * DAY)}))`;
  const skippedRows = `iif(${skip} < ${partialDay}, 0, ${partialDay} + coalesce(${columnOfOffsetDay("cumulative - n")}, ${wholeDaysCount}))`;
  const startOfDay = "(SELECT at FROM start_of_day)";
  return {
    start: `WITH start_of_day AS MATERIALIZED (SELECT ${start} AS at) `,
    range: asc ? rangeSql(startOfDay, until) : rangeSql(from, startOfDay),
    skip: `${skip} - ${skippedRows}`,
  };
}
