import type { JsonValue } from "#core/json.ts";
import type { StoredTargetError } from "#db/schema.ts";
import { isTerminal } from "#posts/rows/state-machine.ts";
import type { ClaimResult } from "#publisher/run/claim-post.ts";
import { currentStep } from "#publisher/run/next-step.ts";
import type { PublishRun } from "#publisher/run/store-run.ts";
import { DATABASE_RESTORED_ERROR, PLAN_MISMATCH_ERROR } from "#publisher/run/target-errors.ts";
import { storedTargetRun, type TargetRun, visibleStateKey } from "#publisher/run/target-run.ts";
import type { TargetEntry } from "./journal.ts";

export type SuccessfulClaim = Extract<ClaimResult, { readonly publishRun: PublishRun }>;

/**
 * What the Durable Object keeps in memory of a claimed post. The journal contains everything that must survive a crash.
 */
export interface ActiveRun {
  readonly runId: string;
  readonly publishRun: PublishRun;
  /** Why the run sends nothing and only verifies its targets. Null for an ordinary run. */
  readonly sendingRefusal: StoredTargetError | null;
  readonly dueAt: number;
  readonly targetRuns: Map<string, TargetRun>;
  /** The `visibleStateKey` of each target as last written to D1, so that an unchanged target is not written again. */
  readonly recordedStateKeys: Map<string, string>;
  watchAt: number;
  /** Waits for an early step of the target that is still running. Returns the run with what that step prepared. */
  readonly awaitEarlyStep: (run: TargetRun) => Promise<TargetRun>;
}

export function createActiveRun(
  { publishRun, runId, watchAt }: SuccessfulClaim,
  runs: readonly TargetRun[],
  {
    matchesConfirmation,
    awaitEarlyStep,
  }: { readonly matchesConfirmation: boolean; readonly awaitEarlyStep: ActiveRun["awaitEarlyStep"] },
): ActiveRun {
  return {
    runId,
    publishRun,
    sendingRefusal: sendingRefusalOf(publishRun, matchesConfirmation),
    watchAt,
    dueAt: publishRun.post.scheduledAt,
    targetRuns: new Map(runs.map((run) => [run.accountId, run])),
    recordedStateKeys: new Map(
      publishRun.targets.map((target) => [target.accountId, visibleStateKey(storedTargetRun(target))]),
    ),
    awaitEarlyStep,
  };
}

function sendingRefusalOf({ post }: PublishRun, matchesConfirmation: boolean): StoredTargetError | null {
  if (post.pausedReason === "restored") {
    return DATABASE_RESTORED_ERROR;
  }
  return matchesConfirmation ? null : PLAN_MISMATCH_ERROR;
}

/**
 * When (ms) the next step of a target is due. A visible call is never sent before the post is due, even if the clock
 * went back after the claim.
 */
export function nextStepAt(activeRun: ActiveRun, run: TargetRun): number {
  // mutant: no-hold-of-targets
  return currentStep(run) === "commit" ? Math.max(run.wakeAt, activeRun.dueAt) : run.wakeAt;
}

/** When (ms) the next step of any target is due. Undefined if all targets have ended. */
export function nextWakeAt(activeRun: ActiveRun): number | undefined {
  const open = [...activeRun.targetRuns.values()].filter((run) => !isTerminal(run.state));
  return open.length === 0 ? undefined : Math.min(...open.map((run) => nextStepAt(activeRun, run)));
}

/**
 * Whether a later write stores this step too, so that it needs none of its own: the next intent's, or the write of the
 * results to D1.
 */
export function isWrittenNext(activeRun: ActiveRun, run: TargetRun): boolean {
  const isReady = run.state === "preparing" && run.prepared !== null;
  return (
    run.state === "committing" || isReady || [...activeRun.targetRuns.values()].every(({ state }) => isTerminal(state))
  );
}

export function toEntry(publishRun: PublishRun, run: TargetRun): TargetEntry {
  return { version: publishRun.post.version, planHash: publishRun.post.planHash, run };
}

/** The fields of the log event for a finished run. */
export function logSummary({ publishRun, targetRuns }: ActiveRun): Record<string, JsonValue> {
  const published = [...targetRuns.values()].flatMap((run) => (run.publishedAt === null ? [] : [run.publishedAt]));
  const lateByMs = published.length === 0 ? null : Math.max(...published) - publishRun.post.scheduledAt;
  return { targets: targetRuns.size, published: published.length, lateByMs };
}
