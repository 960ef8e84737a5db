import type { Context } from "#context.ts";
import { refuseWebhookNotFound } from "./refuse.ts";
import { findWebhook } from "./store.ts";
import type { StoredWebhook, Webhook } from "./types.ts";
import { withHealth } from "./with-health.ts";

/** Finds a webhook of the active workspace, or refuses. Its object must only be called after this check. */
export async function requireWebhook(ctx: Pick<Context, "actor" | "db">, id: string): Promise<StoredWebhook> {
  return (await findWebhook(ctx.db, ctx.actor, id)) ?? refuseWebhookNotFound();
}

export async function getWebhook(
  ctx: Pick<Context, "actor" | "db" | "sender">,
  { id }: { readonly id: string },
): Promise<Webhook> {
  return await withHealth(ctx, await requireWebhook(ctx, id));
}
