import type { Context } from "#context.ts";
import { log } from "#core/log.ts";
import { refuseWebhookNotFound } from "./refuse.ts";
import { deleteWebhookRow } from "./store.ts";

/** Deletes a webhook with its log. Waiting deliveries are never sent. */
export async function deleteWebhook(
  ctx: Pick<Context, "actor" | "db" | "defer" | "sender">,
  { id }: { readonly id: string },
): Promise<void> {
  if (!(await deleteWebhookRow(ctx.db, ctx.actor, id))) {
    refuseWebhookNotFound();
  }
  ctx.defer(removeSender(ctx, id));
}

/**
 * Deletes the webhook's object. Never throws: an object that cannot be reached learns at its next alarm that its
 * webhook is gone.
 */
async function removeSender(ctx: Pick<Context, "sender">, webhookId: string): Promise<void> {
  try {
    await ctx.sender(webhookId).remove();
  } catch (error) {
    log("warn", "webhook.not_removed", { webhookId, reason: String(error) });
  }
}
