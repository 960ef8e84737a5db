import type { Actor } from "#core/actor.ts";
import { type ListedStatus, POST_STATUSES } from "#core/status.ts";
import type { Db } from "#db/client.ts";
import { countRowsSql, countSql, pageStart, SqlParameters } from "./store-counted-posts.ts";
import { fromPostsByTimeSql, postsByTimeSql } from "./store-posts-by-time.ts";

/*
 * A list is one or two segments of the calendar, one after the other. Totals and deep offsets never scan the posts, but
 * take them from the counters.
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

/** From this offset on, posts are skipped by their counters instead of row by row. */
const DEEP_OFFSET = 1000;

/** One page statement per segment and, last, the total. */
export function pageStatements(db: Db, actor: Actor, request: PageRequest): D1PreparedStatement[] {
  const pages = request.segments.map((_, index) =>
    prepareWithParameters(db, (params) => pageSql(params, actor, request, index)),
  );
  const total = prepareWithParameters(
    db,
    (params) =>
      `SELECT ${request.segments.map((segment) => segmentCountSql(params, actor, segment)).join(" + ") || "0"} AS total`,
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
  const before = request.segments.slice(0, index).map((earlier) => segmentCountSql(params, actor, earlier));
  const tables = before.length === 0 ? [] : [`earlier AS MATERIALIZED (SELECT ${before.join(" + ")} AS n)`];
  // What the earlier segments leave of the offset and of the page.
  const left = (of: number) =>
    before.length === 0 ? params.add(of) : `max(0, ${params.add(of)} - (SELECT n FROM earlier))`;
  const skip = left(offset);
  const limit = before.length === 0 ? left(rows) : `min(${params.add(rows)}, ${left(rows + offset)})`;
  const page = pageRange(params, actor, request, segment, skip);
  const where = `p.workspace_id = ${params.add(actor.workspaceId)} AND ${page.range}`;
  const selected = `${postsByTimeSql({ statuses: statusesOf(segment.status), where, order })} LIMIT ${limit} OFFSET ${page.skip}`;
  const allTables = [...tables, ...page.tables];
  return `${allTables.length === 0 ? "" : `WITH ${allTables.join(", ")} `}SELECT ${columns} ${fromPostsByTimeSql(selected)} AND p.user_id = ${params.add(actor.userId)}`;
}

/** The range of time that the page is read from, and how many of its posts are skipped. */
function pageRange(
  params: SqlParameters,
  actor: Actor,
  { order, offset }: PageRequest,
  segment: ListSegment,
  skip: string,
): { readonly tables: readonly string[]; readonly range: string; readonly skip: string } {
  const { status, from, until } = segment;
  if (offset <= DEEP_OFFSET || isFew(status)) {
    return { tables: [], range: rangeSql(params.add(from), params.add(until)), skip };
  }
  const start = pageStart(params, { ...segment, status, workspaceId: actor.workspaceId }, order, skip);
  const range = order === "asc" ? rangeSql(start.at, params.add(until)) : rangeSql(params.add(from), start.at);
  return { ...start, range };
}

function statusesOf(status: SegmentStatus): readonly ListedStatus[] {
  if (status === "unfinished") {
    return ["publishing", "scheduled"];
  }
  return status === null ? POST_STATUSES : [status];
}

/** Unfinished posts of the past are few, and their days may be years ago. */
function isFew(status: SegmentStatus): status is "unfinished" | "publishing" {
  return status === "publishing" || status === "unfinished";
}

function rangeSql(from: string, until: string): string {
  return `p.scheduled_at >= ${from} AND p.scheduled_at < ${until}`;
}

/** How many posts a segment has, as one scalar expression. */
function segmentCountSql(params: SqlParameters, actor: Actor, segment: ListSegment): string {
  const { status } = segment;
  return isFew(status)
    ? countRowsSql(params, actor.workspaceId, statusesOf(status), segment)
    : countSql(params, { ...segment, status, workspaceId: actor.workspaceId });
}
