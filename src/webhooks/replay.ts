import type { Context } from "#context.ts";
import { refuse } from "#core/errors.ts";
import { seqBefore } from "#events/index.ts";
import { requireWebhook } from "./get-webhook.ts";

/** From where events are delivered again: after an event's number, or from an instant on. */
export type ReplayStart = { readonly afterSeq: number } | { readonly since: number };

/** Delivers events again that were delivered before or are waiting, as far as they are kept. */
export async function replayEvents(
  ctx: Pick<Context, "actor" | "db" | "sender">,
  { id, start }: { readonly id: string; readonly start: ReplayStart },
): Promise<{ readonly queued: number }> {
  const { disabledAt } = await requireWebhook(ctx, id);
  if (disabledAt !== null) {
    refuse({ code: "invalid_state", message: "a disabled webhook gets no events: enable it first" });
  }
  return await ctx.sender(id).replay("since" in start ? seqBefore(start.since) : start.afterSeq);
}
