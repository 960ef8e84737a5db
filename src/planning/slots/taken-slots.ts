import type { Context } from "#context.ts";
import { toIsoInstant } from "#core/clock.ts";
import { refuse, type RefusalDetail } from "#core/errors.ts";
import { type PostPlan, postIdsOf } from "#planning/plan/post-plan.ts";
import { selectFreeSlots } from "./store-slots.ts";

type SlotContext = Pick<Context, "actor" | "clock" | "db">;

/**
 * Finds the slots of a plan that other posts have taken since the preview. For each it also finds the next free slot.
 */
export async function takenSlots(ctx: SlotContext, plan: PostPlan): Promise<readonly RefusalDetail[]> {
  const { slots: times = [], workspaceId } = plan;
  if (times.length === 0) {
    return [];
  }
  const posts = postIdsOf(plan);
  const free = new Set(await selectFreeSlots(ctx.db, plan, { times, posts }));
  const taken = times.filter((at) => !free.has(at));
  if (taken.length === 0) {
    return [];
  }
  const ofWorkspace = { ...ctx, actor: { ...ctx.actor, workspaceId } };
  const { chooseSlots } = await import("./choose-slots.ts");
  const next = await chooseSlots(ofWorkspace, taken, { taken: times, posts });
  return taken.map((at, index) => ({
    code: "slot_taken",
    message: `another post has taken the slot of ${toIsoInstant(at)} since the preview${nextInWords(next[index]?.at)}`,
    param: "slot",
    actual: toIsoInstant(at),
  }));
}

export async function refuseTakenSlots(ctx: SlotContext, plan: PostPlan): Promise<void> {
  const details = await takenSlots(ctx, plan);
  const [first] = details;
  if (first) {
    refuse({ code: "slot_taken", message: `${first.message}; preview again, nothing was written`, details });
  }
}

function nextInWords(at: number | undefined): string {
  return at === undefined ? ", and no other is free" : `; the next free one is ${toIsoInstant(at)}`;
}
