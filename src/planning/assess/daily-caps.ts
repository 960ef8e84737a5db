import type { Services } from "#context.ts";
import { HOUR } from "#core/clock.ts";
import type { RefusalDetail } from "#core/errors.ts";
import type { JsonObject } from "#core/json.ts";
import { limitsFor } from "#platforms/limits-for.ts";
import type { PlatformLimits } from "#platforms/contract.ts";
import type { ResolvedTarget } from "#planning/candidates/types.ts";

/** Finds the daily caps that a post at the time `at` would exceed, together with the other posts of its account. */
function capProblems(
  caps: PlatformLimits["dailyCaps"],
  otherTimes: readonly number[],
  at: number,
): Omit<RefusalDetail, "param">[] {
  return caps.flatMap((cap) => {
    const count = maxPostsInWindow(otherTimes, at, cap.windowHours * HOUR);
    return count > cap.count ? [capProblem(cap, count)] : [];
  });
}

function capProblem(cap: PlatformLimits["dailyCaps"][number], actual: number): Omit<RefusalDetail, "param"> {
  return {
    code: "daily_cap_reached",
    message: `the platform accepts ${cap.count} ${cap.what} per account within ${cap.windowHours} hours, and this would be number ${actual}`,
    limit: cap.count,
    actual,
  };
}

/** Counts the posts in the fullest time window that contains this post. */
function maxPostsInWindow(otherTimes: readonly number[], at: number, windowMs: number): number {
  const near = otherTimes.filter((other) => Math.abs(other - at) < windowMs).toSorted((a, b) => a - b);
  const starts = [...near.filter((other) => other <= at), at];
  return Math.max(
    ...starts.map((start) => 1 + near.filter((other) => other >= start && other < start + windowMs).length),
  );
}

/** The problems of accounts that would exceed a daily cap of their platform. */
export function dailyCapProblems(
  { adapterFor, config }: Pick<Services, "adapterFor" | "config">,
  resolvedTargets: readonly ResolvedTarget[],
  timesOf: (accountId: string) => readonly number[],
  at: number,
  capabilities: ReadonlyMap<string, JsonObject>,
): RefusalDetail[] {
  return resolvedTargets.flatMap(({ account, skipped }) => {
    const adapter = adapterFor(account.platform);
    const settings = config.app(account.platform)?.settings;
    const caps =
      adapter && limitsFor(adapter, capabilities.get(account.id) ?? account.capabilities, settings).dailyCaps;
    const problems = caps && !skipped ? capProblems(caps, timesOf(account.id), at) : [];
    return problems.map((problem) => ({
      ...problem,
      param: "scheduled_at",
      accountId: account.id,
      platform: account.platform,
    }));
  });
}
