import type { Context } from "#context.ts";
import type { Delivery } from "#core/webhook-sender.ts";
import { requireWebhook } from "./get-webhook.ts";
import { refuseDeliveryNotFound } from "./refuse.ts";

/** Sends the bytes of a delivery once more, with a new timestamp and signature. */
export async function resendDelivery(
  ctx: Pick<Context, "actor" | "db" | "sender">,
  { id, deliveryId }: { readonly id: string; readonly deliveryId: string },
): Promise<Delivery> {
  await requireWebhook(ctx, id);
  return (await ctx.sender(id).resend(deliveryId)) ?? refuseDeliveryNotFound();
}
