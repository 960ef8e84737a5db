import type { Actor } from "#core/actor.ts";
import type { Db } from "#db/client.ts";
import type { AnnotationFilter } from "./types.ts";
import { SqlParameters } from "#posts/summary/store-counted-posts.ts";
import {
  cutSql,
  isFew,
  type ListSegment,
  type PageRequest,
  type PageStatements,
  statusesOf,
} from "./store-post-pages.ts";
import { statusListSql } from "#posts/rows/store-posts-by-time.ts";

/* Lists posts by external id or label. It reads only posts with that id or label, however many other posts exist. */

type Term = readonly [kind: "external_id" | "label", value: string];

/** The external id and labels to search. The external id comes first, because fewer posts share one. */
function termsOf({ externalId, label }: AnnotationFilter): Term[] {
  return [
    ...(externalId === undefined ? [] : [["external_id", externalId] as const]),
    ...(label === undefined ? [] : [["label", label] as const]),
  ];
}

/** SQL conditions that a post `p` matches the filter. Each condition is one lookup by the whole key. */
export function annotationConditions(filter: AnnotationFilter, param: (value: string) => string): string[] {
  return termsOf(filter).map((term) => hasTermSql(term, param));
}

function hasTermSql([kind, value]: Term, param: (value: string) => string): string {
  return `EXISTS (SELECT 1 FROM annotated_posts f WHERE f.workspace_id = p.workspace_id AND f.kind = '${kind}' AND f.value = ${param(value)}
    AND f.scheduled_at = p.scheduled_at AND f.post_id = p.id)`;
}

/** The statements for one page. The request must have at least one segment. */
export function annotatedPageStatements(
  db: Db,
  actor: Actor,
  request: PageRequest,
  filter: AnnotationFilter,
): PageStatements {
  const { segments, order, columns, now, rows, offset } = request;
  const prepare = (sqlOf: (selected: string, params: SqlParameters) => string) => {
    const params = new SqlParameters();
    const [workspace, user] = [params.add(actor.workspaceId), params.add(actor.userId)];
    params.add(now);
    const selected = segments.map((segment) => selectSegmentSql(params, { workspace, user }, segment, filter));
    const sql = sqlOf(selected.join(" UNION ALL "), params);
    return db.d1.prepare(sql).bind(...params.values);
  };
  return {
    pages: [
      prepare((selected, params) =>
        cutSql(
          `SELECT ${columns} FROM (${selected} ORDER BY at ${order}, id ${order} LIMIT ${params.add(rows)} OFFSET ${params.add(offset)}) page
         CROSS JOIN posts p ON p.id = page.id`,
          request,
        ),
      ),
    ],
    total: prepare((selected) => `SELECT count(*) AS total FROM (${selected})`),
  };
}

/**
 * SQL for one segment of the page. It reads the posts with the first term (external id or label) by time and checks the
 * other terms. The few unfinished posts of the past are found by status.
 */
export function selectSegmentSql(
  params: SqlParameters,
  { workspace, user }: { readonly workspace: string; readonly user: string },
  { status, from, until }: ListSegment,
  filter: AnnotationFilter,
): string {
  const terms = termsOf(filter);
  const param = (value: string) => params.add(value);
  const [first, ...others] = terms;
  const range = (column: string) => `${column} >= ${params.add(from)} AND ${column} < ${params.add(until)}`;
  if (first === undefined || isFew(status)) {
    const conditions = terms.map((term) => hasTermSql(term, param)).map((sql) => ` AND ${sql}`);
    return `SELECT p.scheduled_at AS at, p.id AS id FROM posts p WHERE p.workspace_id = ${workspace}
      AND p.status IN ${statusListSql(statusesOf(status))} AND ${range("p.scheduled_at")} AND p.user_id = ${user}${conditions.join("")}`;
  }
  const [kind, value] = first;
  const conditions = others.map((term) => ` AND ${hasTermSql(term, param)}`);
  return `SELECT t.scheduled_at AS at, t.post_id AS id FROM annotated_posts t CROSS JOIN posts p ON p.id = t.post_id
    WHERE t.workspace_id = ${workspace} AND t.kind = '${kind}' AND t.value = ${param(value)} AND ${range("t.scheduled_at")}
      AND p.status IN ${statusListSql(statusesOf(status))} AND p.user_id = ${user}${conditions.join("")}`;
}
