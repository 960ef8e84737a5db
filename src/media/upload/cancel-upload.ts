import type { Context } from "#context.ts";
import { deleteOpenUploads, isOwnUpload } from "./store-uploads.ts";

/** Ends an incomplete upload and releases its storage at once. Does nothing if the upload does not exist. */
export async function cancelUpload(
  { actor, db }: Pick<Context, "actor" | "db">,
  { id }: { readonly id: string },
): Promise<void> {
  if (await isOwnUpload(db, actor, id)) {
    await deleteOpenUploads(db, [id]);
  }
}
