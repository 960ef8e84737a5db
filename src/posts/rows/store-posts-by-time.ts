import { POST_STATUSES, type PostStatus } from "#core/status.ts";

/** The statuses as an SQL list. They need not be parameters, because they come from a closed list. */
export function statusListSql(statuses: readonly PostStatus[]): string {
  return `(${statuses.map((status) => `'${status}'`).join(", ")})`;
}

/**
 * The condition that lists and counts include a post. It lists the statuses instead of `<> 'cancelled'`, because the index
 * `posts_by_status` cannot use `<>`.
 */
export const LISTED_SQL = `IN ${statusListSql(POST_STATUSES)}`;

/**
 * D1 allows five SELECTs in one compound statement, so each group is a nested compound. SQLite still merges the rows of all groups in
 * order.
 */
const MAX_TERMS = 3;

/**
 * Selects the rowids of posts `p` ordered by time. It reads one range of the index `posts_by_status` for each status, and SQLite merges
 * them row by row, so a page costs its own rows and one more for each status. An index on time alone would cost one more row for every
 * post. It would also either cost a row for every status change or contain all cancelled posts.
 */
export function postsByTimeSql({
  statuses = POST_STATUSES,
  from = "posts p",
  where,
  order = "asc",
}: {
  readonly statuses?: readonly PostStatus[];
  /** Tables from which `where` takes the workspace. They come before the posts and must have one row. */
  readonly from?: string;
  /** The condition on workspace and time range, which may differ by status. */
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

/** Reads the posts `p` that `postsByTimeSql` selected, in the same order: CROSS JOIN makes SQLite read them one after the other. */
export function fromPostsByTimeSql(selected: string): string {
  return `FROM (${selected}) page CROSS JOIN posts p ON p.rowid = page.row`;
}
