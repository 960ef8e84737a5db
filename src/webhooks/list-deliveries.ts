import type { Context } from "#context.ts";
import type { DeliveryPage, DeliveryStatus } from "#core/webhook-sender.ts";
import { requireWebhook } from "./get-webhook.ts";

/** The deliveries of a webhook in the last 30 days, newest first, without their bodies. */
export async function listDeliveries(
  ctx: Pick<Context, "actor" | "db" | "sender">,
  input: {
    readonly id: string;
    readonly status?: DeliveryStatus | undefined;
    /** The position from `next` of the previous page. */
    readonly before?: string | undefined;
    readonly limit: number;
  },
): Promise<DeliveryPage> {
  const { id, status = null, before = null, limit } = input;
  await requireWebhook(ctx, id);
  return await ctx.sender(id).deliveries({ status, before, limit });
}
