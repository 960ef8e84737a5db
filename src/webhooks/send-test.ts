import type { Context } from "#context.ts";
import type { DeliveryTry } from "#core/webhook-sender.ts";
import type { TestEvent } from "#events/index.ts";
import { requireWebhook } from "./get-webhook.ts";

/** Sends `webhook.test` to one webhook at once, even to a disabled one. `toBody` writes the body like that of every event. */
export async function sendTest(
  ctx: Pick<Context, "actor" | "clock" | "db" | "ids" | "sender">,
  { id, toBody }: { readonly id: string; readonly toBody: (event: TestEvent) => string },
): Promise<DeliveryTry> {
  const { workspaceId, url, description } = await requireWebhook(ctx, id);
  const event: TestEvent = {
    id: `evt_test_${ctx.ids.secretUuid().replaceAll("-", "")}`,
    workspaceId,
    at: ctx.clock.now(),
    webhook: { id, url, description },
  };
  return await ctx.sender(id).sendTest({ id: event.id, body: toBody(event) });
}
