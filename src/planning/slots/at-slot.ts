import type { Context } from "#context.ts";
import { refuseProblems } from "#posts/rows/refuse.ts";
import type { ScheduleInput } from "#planning/plan/types.ts";

type SlotInput = Pick<ScheduleInput, "slot" | "timeWarning"> & { readonly scheduledAt?: number | undefined };

/** The input with the time of its slot; without a slot it is as it was, and nothing is read. */
export async function atSlot<Input extends SlotInput>(
  ctx: Pick<Context, "actor" | "clock" | "db">,
  input: Input,
  { posts }: { readonly posts: readonly string[] },
): Promise<Input> {
  if (input.slot === undefined || input.scheduledAt === undefined) {
    return input;
  }
  const { chooseSlots } = await import("./choose-slots.ts");
  const [chosen] = await chooseSlots(ctx, [input.scheduledAt], { posts });
  if (chosen?.at === undefined) {
    refuseProblems(chosen ? [chosen.problem] : []);
  }
  // Whether a clock shows the time twice matters no more.
  return { ...input, scheduledAt: chosen.at, timeWarning: undefined };
}
