import type { Context } from "#context.ts";

import { refuseDraftNotFound } from "./refuse.ts";
import { findDraft } from "./store.ts";
import type { Draft } from "./types.ts";

export async function getDraft(ctx: Pick<Context, "actor" | "db">, { id }: { readonly id: string }): Promise<Draft> {
  return (await findDraft(ctx.db, ctx.actor, id)) ?? refuseDraftNotFound();
}
