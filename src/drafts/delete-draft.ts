import type { Context } from "#context.ts";

import { refuseDraftNotFound } from "./refuse.ts";
import { deleteDraftRow } from "./store.ts";

/** Deletes a draft; a preview that was made of it can still be confirmed. */
export async function deleteDraft(ctx: Pick<Context, "actor" | "db">, { id }: { readonly id: string }): Promise<void> {
  if (!(await deleteDraftRow(ctx.db, ctx.actor, id))) {
    refuseDraftNotFound();
  }
}
