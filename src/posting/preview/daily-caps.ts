import type { Services } from "#context.ts";
import { HOUR } from "#core/clock.ts";
import type { Detail } from "#core/errors.ts";
import { PLATFORMS } from "#core/platform.ts";
import type { Adapter, PlatformLimits } from "#platforms/contract.ts";
import type { Choice } from "./resolve-targets.ts";

/** The longest window in which any platform counts posts; 0 when none does. */
export function longestCapWindowMs({ adapterFor }: Pick<Services, "adapterFor">): number {
  const windows = PLATFORMS.flatMap((platform) => adapterFor(platform)?.limits.dailyCaps ?? []);
  return Math.max(0, ...windows.map((cap) => cap.windowHours * HOUR));
}

/** A post at `at` beside the others of its account: does any window that holds it hold too many? */
function capProblems(adapter: Adapter, others: readonly number[], at: number): Omit<Detail, "param">[] {
  return adapter.limits.dailyCaps.flatMap((cap) => {
    const count = fullestWindow(others, at, cap.windowHours * HOUR);
    return count > cap.count ? [capReached(cap, count)] : [];
  });
}

function capReached(cap: PlatformLimits["dailyCaps"][number], actual: number): Omit<Detail, "param"> {
  return {
    code: "daily_cap_reached",
    message: `the platform takes ${cap.count} ${cap.what} per account within ${cap.windowHours} hours, and this would be number ${actual}`,
    limit: cap.count,
    actual,
  };
}

/** The most posts, this one included, in any rolling window around it. */
function fullestWindow(others: readonly number[], at: number, windowMs: number): number {
  const near = others.filter((other) => Math.abs(other - at) < windowMs).toSorted((a, b) => a - b);
  const starts = [...near.filter((other) => other <= at), at];
  return Math.max(
    ...starts.map((start) => 1 + near.filter((other) => other >= start && other < start + windowMs).length),
  );
}

/** Accounts that would post more often than their platform lets them. */
export function cappedAccounts(
  { adapterFor }: Pick<Services, "adapterFor">,
  choices: readonly Choice[],
  others: ReadonlyMap<string, readonly number[]>,
  at: number,
): Detail[] {
  return choices.flatMap(({ account, resting }) => {
    const adapter = adapterFor(account.platform);
    const reached = adapter && !resting ? capProblems(adapter, others.get(account.id) ?? [], at) : [];
    return reached.map((problem) => ({
      ...problem,
      param: "scheduled_at",
      accountId: account.id,
      platform: account.platform,
    }));
  });
}
