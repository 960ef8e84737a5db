import type { Context } from "#context.ts";
import { deleteOpenUploads, isOwnUpload } from "./store-uploads.ts";

/** Ends an upload that is not complete and releases its storage at once; does nothing when there is no such upload. */
export async function cancelUpload(
  { actor, db }: Pick<Context, "actor" | "db">,
  { id }: { readonly id: string },
): Promise<void> {
  if (await isOwnUpload(db, actor, id)) {
    await deleteOpenUploads(db, [id]);
  }
}
