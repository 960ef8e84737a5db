import type { Actor } from "#core/actor.ts";
import { DAY } from "#core/clock.ts";
import type { ListedStatus } from "#core/status.ts";
import type { Db } from "#db/client.ts";
import { POST_COLUMNS, SUMMARY_COLUMNS } from "./post-rows.ts";

/*
 * A list is one or two segments of the calendar, one after the other. Nothing is ever counted or skipped through the table:
 * whole days come from post_days, only the days at the edges of a segment are counted, by index.
 */

/** Posts with `from` <= time < `until`, of one status or of all that are listed. */
export interface Segment {
  readonly status: ListedStatus | null;
  readonly from: number;
  readonly until: number;
}

export interface PageRequest {
  /** In the order of the list. */
  readonly segments: readonly Segment[];
  readonly order: "asc" | "desc";
  readonly fields: "full" | "summary";
  /** Rows to read: one more than the page, so that it is known whether more follow. */
  readonly rows: number;
  readonly offset: number;
}

/** The last instant a list can reach: a whole number of days. */
export const END_OF_TIME = 8_640_000_000_000_000;
/** Beyond it whole days are skipped by their counters instead of row by row. */
const DEEP = 1000;

/** Collects parameters while a statement is put together. */
class Parameters {
  readonly values: (string | number)[] = [];

  add(value: string | number): string {
    this.values.push(value);
    return `?${this.values.length}`;
  }
}

/** One page statement a segment and, last, the total. */
export function pageStatements(db: Db, actor: Actor, request: PageRequest): D1PreparedStatement[] {
  const pages = request.segments.map((_, index) => prepared(db, (p) => pageSql(p, actor, request, index)));
  const total = prepared(
    db,
    (p) => `SELECT ${request.segments.map((segment) => countSql(p, actor, segment)).join(" + ") || "0"} AS total`,
  );
  return [...pages, total];
}

function prepared(db: Db, write: (p: Parameters) => string): D1PreparedStatement {
  const p = new Parameters();
  const sql = write(p);
  return db.d1.prepare(sql).bind(...p.values);
}

function pageSql(p: Parameters, actor: Actor, request: PageRequest, index: number): string {
  const { order, offset, rows } = request;
  const segment = request.segments[index] as Segment;
  const columns = request.fields === "full" ? POST_COLUMNS : SUMMARY_COLUMNS;
  const before = request.segments.slice(0, index).map((earlier) => countSql(p, actor, earlier));
  // What the segments before this one leave over of the offset and of the page.
  const skip = before.length === 0 ? p.add(offset) : `max(0, ${p.add(offset)} - (${before.join(" + ")}))`;
  const limit =
    before.length === 0
      ? p.add(rows)
      : `max(0, min(${p.add(rows)}, ${p.add(rows + offset)} - (${before.join(" + ")})))`;
  const page =
    offset > DEEP
      ? deepRange(p, actor, segment, order, skip)
      : { range: rangeSql(p.add(segment.from), p.add(segment.until)), skip };
  return `SELECT ${columns} FROM posts p
    WHERE ${scopeSql(p, actor, segment.status)} AND ${page.range} AND p.user_id = ${p.add(actor.userId)}
    ORDER BY p.scheduled_at ${order}, p.id ${order} LIMIT ${limit} OFFSET ${page.skip}`;
}

function scopeSql(p: Parameters, actor: Actor, status: ListedStatus | null): string {
  const ofStatus = status === null ? "p.status <> 'cancelled'" : `p.status = ${p.add(status)}`;
  return `p.workspace_id = ${p.add(actor.workspaceId)} AND ${ofStatus}`;
}

function rangeSql(from: string, until: string): string {
  return `p.scheduled_at >= ${from} AND p.scheduled_at < ${until}`;
}

/** How many posts a segment has, as one scalar expression. */
function countSql(p: Parameters, actor: Actor, segment: Segment): string {
  const { first, end } = wholeDays(segment);
  // Posts under way are few and their days may lie years back.
  if (segment.status === "publishing" || first >= end) {
    return edgeSql(p, actor, segment, segment.from, segment.until);
  }
  return `(${daysSql(p, actor, segment)} + ${firstEdgeSql(p, actor, segment)} + ${lastEdgeSql(p, actor, segment)})`;
}

/** The UTC days that lie within the segment from end to end: `first` <= day < `end`. */
function wholeDays({ from, until }: Segment): { readonly first: number; readonly end: number } {
  return { first: Math.ceil(from / DAY), end: Math.floor(until / DAY) };
}

function daysSql(p: Parameters, actor: Actor, segment: Segment): string {
  const { first, end } = wholeDays(segment);
  return `(SELECT coalesce(sum(${countOf(segment.status)}), 0) FROM post_days
    WHERE workspace_id = ${p.add(actor.workspaceId)} AND day >= ${p.add(first)} AND day < ${p.add(end)})`;
}

/** The column of post_days, or all of them; names, not parameters, and from a closed list. */
function countOf(status: ListedStatus | null): string {
  return status ?? "(scheduled + publishing + published + partially_failed + failed + paused)";
}

function firstEdgeSql(p: Parameters, actor: Actor, segment: Segment): string {
  return edgeSql(p, actor, segment, segment.from, wholeDays(segment).first * DAY);
}

function lastEdgeSql(p: Parameters, actor: Actor, segment: Segment): string {
  return edgeSql(p, actor, segment, wholeDays(segment).end * DAY, segment.until);
}

function edgeSql(p: Parameters, actor: Actor, { status }: Segment, from: number, until: number): string {
  return from >= until
    ? "0"
    : `(SELECT count(*) FROM posts p WHERE ${scopeSql(p, actor, status)} AND ${rangeSql(p.add(from), p.add(until))})`;
}

/** The range that begins with the day in which the offset falls, and what is left to skip within it. */
function deepRange(p: Parameters, actor: Actor, segment: Segment, order: "asc" | "desc", skip: string) {
  const { first, end } = wholeDays(segment);
  const [from, until] = [p.add(segment.from), p.add(segment.until)];
  if (segment.status === "publishing" || first >= end) {
    return { range: rangeSql(from, until), skip };
  }
  const asc = order === "asc";
  const edge = asc ? firstEdgeSql(p, actor, segment) : lastEdgeSql(p, actor, segment);
  const days = `SELECT day, n, sum(n) OVER (ORDER BY day ${order}) AS upto FROM (
    SELECT day, ${countOf(segment.status)} AS n FROM post_days
    WHERE workspace_id = ${p.add(actor.workspaceId)} AND day >= ${p.add(first)} AND day < ${p.add(end)})`;
  const hit = (column: string) =>
    `(SELECT ${column} FROM (${days}) WHERE upto > ${skip} - ${edge} ORDER BY day ${order} LIMIT 1)`;
  const whole = daysSql(p, actor, segment);
  // Before the first whole day, in one of them, or behind the last.
  const start = asc
    ? `iif(${skip} < ${edge}, ${from}, coalesce(${hit(`day * ${DAY}`)}, ${p.add(end * DAY)}))`
    : `iif(${skip} < ${edge}, ${until}, coalesce(${hit(`(day + 1) * ${DAY}`)}, ${p.add(first * DAY)}))`;
  const passed = `iif(${skip} < ${edge}, 0, ${edge} + coalesce(${hit("upto - n")}, ${whole}))`;
  return { range: asc ? rangeSql(start, until) : rangeSql(from, start), skip: `${skip} - ${passed}` };
}
