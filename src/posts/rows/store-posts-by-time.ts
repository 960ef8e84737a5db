import { POST_STATUSES, type PostStatus } from "#core/status.ts";

/** The statuses as an SQL list; they come from a closed list, so that they need not be parameters. */
export function statusListSql(statuses: readonly PostStatus[]): string {
  return `(${statuses.map((status) => `'${status}'`).join(", ")})`;
}

/** The condition that a post is in lists and counts. Not `<> 'cancelled'`, because only a list of statuses is found in `posts_by_status`. */
export const LISTED_SQL = `IN ${statusListSql(POST_STATUSES)}`;

/** D1 allows five SELECTs in one compound; compounds inside it are merged all the same. */
const MAX_TERMS = 3;

/**
 * Selects the rowids of posts `p` by time: one range of `posts_by_status` for each status, which SQLite merges row by
 * row. So a page costs its own rows and one more for each status. An index by time alone would be a further row for every post to
 * write, and either one more with every change of the status or, without a condition on it, would also hold all cancelled posts.
 */
export function postsByTimeSql({
  statuses = POST_STATUSES,
  from = "posts p",
  where,
  order = "asc",
}: {
  readonly statuses?: readonly PostStatus[];
  /** Tables that give the workspace must come before the posts and have one row. */
  readonly from?: string;
  /** Must name the workspace and the range of time, which may differ by status. */
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

/** Reads the posts `p` that `postsByTimeSql` selected, in its order: the cross join has SQLite take them one after the other. */
export function fromPostsByTimeSql(selected: string): string {
  return `FROM (${selected}) page CROSS JOIN posts p ON p.rowid = page.row`;
}
