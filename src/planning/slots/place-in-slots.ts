import type { Context } from "#context.ts";
import type { RefusalDetail } from "#core/errors.ts";
import type { ScheduleInput } from "#planning/plan/types.ts";

type SlotInput = Pick<ScheduleInput, "slot" | "timeWarning"> & { readonly scheduledAt?: number | null | undefined };

/** An input with the time of its slot, or why there is none. */
interface PlacedInput<Input> {
  readonly input: Input;
  readonly problems: readonly RefusalDetail[];
}

/**
 * Gives the inputs that ask for a slot the times of free ones; nothing is read when none asks. `posts` are those whose own slots count as
 * free.
 */
export async function placeInSlots<Input extends SlotInput>(
  ctx: Pick<Context, "actor" | "clock" | "db">,
  inputs: readonly Input[],
  { posts = [] }: { readonly posts?: readonly string[] } = {},
): Promise<readonly PlacedInput<Input>[]> {
  const asking = inputs.filter(({ slot, scheduledAt }) => slot !== undefined && typeof scheduledAt === "number");
  if (asking.length === 0) {
    return inputs.map((input) => ({ input, problems: [] }));
  }
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
        : // Whether a clock shows the time twice matters no more.
          { input: { ...input, scheduledAt: slot.at, timeWarning: undefined }, problems: [] };
  });
}

function timeOf({ scheduledAt }: SlotInput): number {
  return scheduledAt ?? 0;
}
