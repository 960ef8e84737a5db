import type { Context } from "#context.ts";
import { refuse } from "#core/errors.ts";
import { seqBefore } from "#events/index.ts";
import { requireWebhook } from "./get-webhook.ts";

/** Where the replay starts: after the number of an event, or at an instant. */
export type ReplayStart = { readonly afterSeq: number } | { readonly since: number };

/** Delivers kept events again, whether they were delivered or still wait. */
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
