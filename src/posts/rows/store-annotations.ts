import type { Actor } from "#core/actor.ts";
import type { Db } from "#db/client.ts";
import type { Annotations } from "./types.ts";
import { searchTextOfAnnotations } from "./search-text.ts";
import { hasAnnotations } from "./store-annotation-rows.ts";

/**
 * A statement that inserts the annotations of a new post. It must run before the insert of the post, which records an
 * event with them.
 */
export function insertAnnotationsStatement(
  db: Db,
  post: { readonly id: string; readonly workspaceId: string; readonly scheduledAt: number },
  annotations: Annotations,
  now: number,
): D1PreparedStatement {
  return db.d1
    .prepare(
      `INSERT INTO post_annotations (workspace_id, post_id, scheduled_at, external_id, metadata, labels, notes, search_text, updated_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)`,
    )
    .bind(post.workspaceId, post.id, post.scheduledAt, ...columnsOf(annotations), now);
}

/**
 * A statement that replaces the annotations of a post. It writes nothing if they are equal, and deletes the row if
 * there are none.
 */
export function replaceAnnotationsStatement(
  db: Db,
  actor: Pick<Actor, "userId" | "workspaceId">,
  id: string,
  annotations: Annotations,
  now: number,
): D1PreparedStatement {
  return db.d1
    .prepare(
      `INSERT INTO post_annotations AS a (workspace_id, post_id, scheduled_at, external_id, metadata, labels, notes, search_text, updated_at)
       SELECT p.workspace_id, p.id, p.scheduled_at, ?4, ?5, ?6, ?7, ?8, ?9 FROM posts p
       WHERE p.id = ?3 AND p.user_id = ?1 AND p.workspace_id = ?2
         AND (?10 OR EXISTS (SELECT 1 FROM post_annotations e WHERE e.workspace_id = ?2 AND e.post_id = ?3))
       ON CONFLICT (workspace_id, post_id) DO UPDATE SET external_id = excluded.external_id, metadata = excluded.metadata,
         labels = excluded.labels, notes = excluded.notes, search_text = excluded.search_text, updated_at = excluded.updated_at
       WHERE a.external_id IS NOT excluded.external_id OR a.metadata <> excluded.metadata OR a.labels <> excluded.labels
         OR a.notes IS NOT excluded.notes`,
    )
    .bind(actor.userId, actor.workspaceId, id, ...columnsOf(annotations), now, hasAnnotations(annotations) ? 1 : 0);
}

function columnsOf(annotations: Annotations) {
  const { externalId, metadata, labels, notes } = annotations;
  return [
    externalId,
    JSON.stringify(metadata),
    JSON.stringify(labels),
    notes,
    searchTextOfAnnotations(annotations),
  ] as const;
}
