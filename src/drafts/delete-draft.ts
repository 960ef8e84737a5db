import type { Context } from "#context.ts";

import { refuseDraftNotFound } from "./refuse.ts";
import { deleteDraftRow } from "./store.ts";

/** Deletes a draft. A preview that was made from it can still be confirmed. */
export async function deleteDraft(ctx: Pick<Context, "actor" | "db">, { id }: { readonly id: string }): Promise<void> {
  if (!(await deleteDraftRow(ctx.db, ctx.actor, id))) {
    refuseDraftNotFound();
  }
}
