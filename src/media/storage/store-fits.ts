import type { Actor } from "#core/actor.ts";
import type { Db } from "#db/client.ts";
import { MEDIA_COLUMNS, type MediaRow } from "#media/store.ts";

/** The recipe name of the JPEG that is stored instead of a HEIC or AVIF image. */
export const CONVERTED_RECIPE = "jpeg";

/** Identifies a copy of an image by the image's hash and the recipe. */
export interface FitKey {
  readonly sha256: string;
  readonly recipe: string;
}

export interface FitRow extends MediaRow {
  readonly source_sha256: string;
  readonly recipe: string;
}

/** Selects the stored copies that can still be used. */
export async function selectFits(
  db: Db,
  { workspaceId }: Pick<Actor, "workspaceId">,
  keys: readonly FitKey[],
): Promise<readonly FitRow[]> {
  const { results } = await db.d1
    .prepare(
      `SELECT f.source_sha256, f.recipe, ${MEDIA_COLUMNS} FROM json_each(?1) k
         CROSS JOIN media_fits f ON f.workspace_id = ?2 AND f.source_sha256 = k.value ->> 'sha256' AND f.recipe = k.value ->> 'recipe'
         CROSS JOIN media m ON m.id = f.media_id AND m.workspace_id = ?2 AND m.state = 'ready'`,
    )
    .bind(JSON.stringify(keys), workspaceId)
    .all<FitRow>();
  return results;
}

/** Stores which copies were made. A copy whose media item was removed meanwhile is replaced. */
export async function insertFits(
  db: Db,
  { workspaceId }: Pick<Actor, "workspaceId">,
  fits: readonly (FitKey & { readonly mediaId: string })[],
): Promise<void> {
  await db.d1
    .prepare(
      `INSERT INTO media_fits (workspace_id, source_sha256, recipe, media_id)
       SELECT ?2, f.value ->> 'sha256', f.value ->> 'recipe', f.value ->> 'mediaId' FROM json_each(?1) f WHERE 1
       ON CONFLICT (workspace_id, source_sha256, recipe) DO UPDATE SET media_id = excluded.media_id`,
    )
    .bind(JSON.stringify(fits), workspaceId)
    .run();
}
