import type { Context } from "#context.ts";
import { refuseWebhookNotFound } from "./refuse.ts";
import { deleteWebhookRow } from "./store.ts";
import { tellSender } from "./tell-sender.ts";

/** Ends a webhook: what was not delivered never is, and its log of deliveries goes. */
export async function deleteWebhook(
  ctx: Pick<Context, "actor" | "db" | "defer" | "sender">,
  { id }: { readonly id: string },
): Promise<void> {
  if (!(await deleteWebhookRow(ctx.db, ctx.actor, id))) {
    refuseWebhookNotFound();
  }
  tellSender(ctx, id, (sender) => sender.remove());
}
