import type { Context } from "#context.ts";
import type { RefusalDetail } from "#core/errors.ts";
import { checkedTime } from "#planning/candidates/schedule-time.ts";
import type { PlannedTime, ScheduleInput } from "#planning/plan/types.ts";

type SlotInput = Pick<ScheduleInput, "slot" | "timeWarning"> & {
  readonly scheduledAt?: PlannedTime | null | undefined;
};

/** An input with the time of its slot, or why there is none. */
interface PlacedInput<Input> {
  readonly input: Input;
  readonly problems: readonly RefusalDetail[];
}

/**
 * Gives the inputs that ask for a slot the times of free ones. If none asks, nothing is read. The slots of `posts`
 * count as free.
 */
export async function placeInSlots<Input extends SlotInput>(
  ctx: Pick<Context, "actor" | "clock" | "db">,
  inputs: readonly Input[],
  { posts = [] }: { readonly posts?: readonly string[] } = {},
): Promise<readonly PlacedInput<Input>[]> {
  const asking = inputs.filter(({ slot, scheduledAt }) => slot !== undefined && (scheduledAt ?? null) !== null);
  if (asking.length === 0) {
    return inputs.map((input) => ({ input, problems: [] }));
  }
  const timeOf = ({ scheduledAt = null }: SlotInput) => checkedTime(scheduledAt, ctx.clock.now()) ?? 0;
  const { chooseSlots } = await import("./choose-slots.ts");
  const chosen = await chooseSlots(ctx, asking.map(timeOf), {
    taken: inputs.filter(({ slot }) => slot === undefined).map(timeOf),
    posts,
  });
  return inputs.map((input) => {
    const slot = chosen[asking.indexOf(input)];
    return slot === undefined
      ? { input, problems: [] }
      : slot.problem
        ? { input, problems: [slot.problem] }
        : // The slot has one instant, so a warning that the clock shows the time twice is unnecessary.
          { input: { ...input, scheduledAt: slot.at, timeWarning: undefined }, problems: [] };
  });
}
