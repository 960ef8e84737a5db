import type { Context } from "#context.ts";
import { refuse } from "#core/errors.ts";
import { type MediaUses, toUses, USES_PER_ITEM } from "./list-media.ts";
import { removeUnused, selectFilename, selectUses } from "./store-library.ts";

export type DeleteMediaResult =
  | { readonly state: "deleted" }
  | { readonly state: "in_use"; readonly filename: string; readonly uses: MediaUses };

/**
 * Deletes a media item that no post and no draft uses; cancelled posts do not count. The clean-up later deletes the
 * file and releases the storage.
 */
export async function deleteMedia(
  ctx: Pick<Context, "actor" | "db" | "clock">,
  { id }: { readonly id: string },
): Promise<DeleteMediaResult> {
  const { actor } = ctx;
  const now = ctx.clock.now();
  const db = ctx.db;
  if (await removeUnused(db, actor, id, now)) {
    return { state: "deleted" };
  }
  const filename = await selectFilename(db, actor, id);
  if (filename === null) {
    refuse({ code: "not_found", message: "there is no such media item" });
  }
  const { uses, draftUses } = await selectUses(db, actor, id, { limit: USES_PER_ITEM, now });
  return { state: "in_use", filename, uses: toUses(uses, draftUses) };
}
