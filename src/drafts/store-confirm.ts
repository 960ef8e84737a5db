import type { Actor } from "#core/actor.ts";
import type { Db } from "#db/client.ts";
import type { Draft } from "./types.ts";

/** Deletes the draft from which a post was made, unless somebody has changed it since the preview. */
export function deleteDraftStatement(
  db: Db,
  { userId, workspaceId }: Pick<Actor, "userId" | "workspaceId">,
  { id, version }: Pick<Draft, "id" | "version">,
): D1PreparedStatement {
  return db.d1
    .prepare("DELETE FROM drafts WHERE id = ?1 AND user_id = ?2 AND workspace_id = ?3 AND version = ?4")
    .bind(id, userId, workspaceId, version);
}
