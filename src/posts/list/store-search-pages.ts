import type { Actor } from "#core/actor.ts";
import { type ListedStatus, POST_STATUSES } from "#core/status.ts";
import type { Db } from "#db/client.ts";
import { postsByTimeSql } from "#posts/rows/store-posts-by-time.ts";
import { SqlParameters } from "#posts/summary/store-counted-posts.ts";
import { selectSegmentSql } from "./store-annotated-pages.ts";
import { cutSql, type PageRequest, type PageStatements, rangeOfStatus, type TotalRow } from "./store-post-pages.ts";
import type { AnnotationFilter, SearchExtent } from "./types.ts";

/* Lists posts by conditions without an index. It examines the posts in the order of the list, at most 5,000, and
   says how far it came. So the rows read are limited, however many posts a workspace has. */

export const MAX_SEARCHED = 5000;

/** SQL condition that a post `p` has all words. Annotations are read only for a word that the post itself lacks. */
export function hasWordsSql(words: readonly string[], params: Pick<SqlParameters, "add">): string {
  return `NOT EXISTS (SELECT 1 FROM json_each(${params.add(JSON.stringify(words))}) w WHERE instr(p.search_text, w.value) = 0
    AND NOT EXISTS (SELECT 1 FROM post_annotations n WHERE n.workspace_id = p.workspace_id AND n.post_id = p.id AND instr(n.search_text, w.value) > 0))`;
}

/** The statements for one page of a search. The request must have at least one segment. */
export function searchPageStatements(
  db: Db,
  actor: Actor,
  request: PageRequest,
  filter: AnnotationFilter,
  conditionsOf: (params: SqlParameters) => readonly string[],
): PageStatements {
  const { columns, now, rows, offset } = request;
  const prepare = (sqlOf: (examined: string, condition: string, params: SqlParameters) => string) => {
    const params = new SqlParameters();
    const [workspace, user] = [params.add(actor.workspaceId), params.add(actor.userId)];
    params.add(now);
    const examined = examinedSql(params, { workspace, user }, request, filter);
    const sql = sqlOf(examined, conditionsOf(params).join(" AND ") || "1", params);
    return db.d1.prepare(sql).bind(...params.values);
  };
  return {
    pages: [
      prepare((examined, condition, params) =>
        cutSql(
          `SELECT ${columns} ${examined} WHERE ${condition} LIMIT ${params.add(rows)} OFFSET ${params.add(offset)}`,
          request,
        ),
      ),
    ],
    total: prepare(
      (examined, condition) =>
        `SELECT coalesce(sum(${condition}), 0) AS total, count(*) AS searched, min(s.scheduled_at) AS first, max(s.scheduled_at) AS last ${examined}`,
    ),
  };
}

/**
 * SQL for the posts `p` to examine, in the order of the list. CROSS JOIN makes SQLite read them one after the other,
 * and only as far as the page needs.
 */
// mutant: search-of-strangers
function examinedSql(
  params: SqlParameters,
  owner: { readonly workspace: string; readonly user: string },
  { segments, order }: PageRequest,
  filter: AnnotationFilter,
): string {
  if (filter.externalId !== undefined || filter.label !== undefined) {
    const selected = segments.map((segment) => selectSegmentSql(params, owner, segment, filter)).join(" UNION ALL ");
    return `FROM (SELECT at AS scheduled_at, id FROM (${selected}) ORDER BY at ${order}, id ${order} LIMIT ${MAX_SEARCHED}) s CROSS JOIN posts p ON p.id = s.id AND p.user_id = ${owner.user}`;
  }
  const ranges = new Map<ListedStatus, string>();
  for (const status of POST_STATUSES) {
    const range = rangeOfStatus(segments, status);
    if (range !== null) {
      const [from, until] = [params.add(range.from), params.add(range.until)];
      ranges.set(
        status,
        `p.workspace_id = ${owner.workspace} AND p.scheduled_at >= ${from} AND p.scheduled_at < ${until}`,
      );
    }
  }
  const selected = postsByTimeSql({
    statuses: [...ranges.keys()],
    where: (status) => ranges.get(status as ListedStatus) ?? "0",
    order,
  });
  return `FROM (${selected} LIMIT ${MAX_SEARCHED}) s CROSS JOIN posts p ON p.rowid = s.row AND p.user_id = ${owner.user}`;
}

/**
 * Where the next search begins. It includes the instant of the last post, because more posts may have it. Posts that
 * were examined may therefore come again.
 */
export function extentOf(
  { searched = 0, first = null, last = null }: Partial<TotalRow> = {},
  order: "asc" | "desc",
): SearchExtent {
  if (searched < MAX_SEARCHED || first === null || last === null) {
    return { searched, next: null };
  }
  const isOneInstant = first === last;
  return { searched, next: order === "desc" ? first + (isOneInstant ? 0 : 1) : last + (isOneInstant ? 1 : 0) };
}
