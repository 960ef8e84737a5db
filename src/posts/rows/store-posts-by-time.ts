import { POST_STATUSES, type PostStatus } from "#core/status.ts";

/** Writes statuses as an SQL list. They need not be parameters, because they come from a closed list. */
export function statusListSql(statuses: readonly PostStatus[]): string {
  return `(${statuses.map((status) => `'${status}'`).join(", ")})`;
}

/**
 * SQL condition for posts that lists and counts include. It names the statuses instead of `<> 'cancelled'`, for which
 * the index `posts_by_status` is useless.
 */
export const LISTED_SQL = `IN ${statusListSql(POST_STATUSES)}`;

/**
 * How many SELECTs one group has. D1 allows five in a compound statement, so groups are nested. SQLite still merges the
 * rows of all groups in order.
 */
const MAX_TERMS = 3;

/**
 * SQL for the rowids of posts `p` by time. It reads a range of the index `posts_by_status` for each status, and SQLite
 * merges them row by row. So a page costs its own rows and one more per status. An index on time alone would cost one
 * more row for every post. Besides, it would cost a row for each status change, or contain all cancelled posts.
 */
export function postsByTimeSql({
  statuses = POST_STATUSES,
  from = "posts p",
  where,
  order = "asc",
}: {
  readonly statuses?: readonly PostStatus[];
  /** SQL tables from which `where` takes the workspace. They come before the posts and must have one row. */
  readonly from?: string;
  /** SQL condition on workspace and time range. It may differ by status. */
  readonly where: string | ((status: PostStatus) => string);
  readonly order?: "asc" | "desc";
}): string {
  const ofOneStatus = statuses.map(
    (status) =>
      `SELECT p.rowid AS row, p.id AS id, p.scheduled_at AS scheduled_at FROM ${from} WHERE p.status = '${status}' AND ${typeof where === "string" ? where : where(status)}`,
  );
  const groups: string[] = [];
  for (let start = 0; start < ofOneStatus.length; start += MAX_TERMS) {
    groups.push(
      `SELECT row, id, scheduled_at FROM (${ofOneStatus.slice(start, start + MAX_TERMS).join(" UNION ALL ")})`,
    );
  }
  return `${groups.join(" UNION ALL ")} ORDER BY scheduled_at ${order}, id ${order}`;
}

/**
 * SQL that reads the posts `p` which `postsByTimeSql` selected, in the same order. CROSS JOIN makes SQLite read them
 * one after the other.
 */
export function fromPostsByTimeSql(selected: string): string {
  return `FROM (${selected}) page CROSS JOIN posts p ON p.rowid = page.row`;
}
