import { MINUTE, SECOND } from "#core/clock.ts";
import { log } from "#core/log.ts";
import type { StoredTargetError } from "#db/schema.ts";
import { failWithoutCall, currentStep } from "#publisher/run/next-step.ts";
import { isTerminal } from "#posts/rows/state-machine.ts";
import { recordRunResults, type RecordResult } from "#publisher/run/record-results.ts";
import type { PublishRun } from "#publisher/run/store-run.ts";
import type { TargetRun } from "#publisher/run/target-run.ts";
import { wakeSenders } from "#webhooks/index.ts";
import { type RunContext, targetOf } from "./run-context.ts";
import { type TargetJournal, runTargetStep } from "./run-target-step.ts";

/** A Worker can hold six connections open at once. */
export const MAX_CONCURRENT_CALLS = 6;
/** An alarm handler starts no step after this, so that its last step ends within the runtime's limit of 15 minutes. */
const ALARM_BUDGET_MS = 8 * MINUTE;
/** A finished target waits this long for the other targets, so that one D1 write records them together. */
const RECORD_END_AFTER_MS = 3 * SECOND;
const MAX_SLEEP_MS = 30 * SECOND;

/** The in-memory state of a claimed post; what must survive a crash is in the journal. */
export interface ActiveRun {
  readonly runId: string;
  readonly publishRun: PublishRun;
  /** Why nothing may be sent and targets are only verified; null for every ordinary run. */
  readonly sendingRefusal: StoredTargetError | null;
  readonly dueAt: number;
  readonly targetRuns: Map<string, TargetRun>;
  /** The `visibleStateKey` of each target as last written to D1. */
  readonly recordedStateKeys: Map<string, string>;
  watchAt: number;
  /** Waits for an early step of the target that is still in flight, and takes over what it prepared. */
  readonly awaitEarlyStep: (run: TargetRun) => Promise<TargetRun>;
}

export const PLAN_MISMATCH_ERROR = {
  code: "plan_mismatch",
  category: "internal",
  message: "What is stored differs from what was confirmed, so nothing was sent.",
  platformCode: null,
  retryable: true,
  whoMustAct: "operator",
} as const;

/** The post may be public already, or its row is not what its owner last confirmed. */
const DATABASE_RESTORED_ERROR = {
  code: "database_restored",
  category: "internal",
  message: "The database was put back to an earlier time; the platform does not have this post, and it was not sent.",
  platformCode: null,
  retryable: true,
  whoMustAct: "user",
} as const;

/** What forbids a run to send. */
export function sendingRefusalOf({ post }: PublishRun, matchesConfirmation: boolean): StoredTargetError | null {
  if (post.pausedReason === "restored") {
    return DATABASE_RESTORED_ERROR;
  }
  return matchesConfirmation ? null : PLAN_MISMATCH_ERROR;
}

/** When the next step of a target is due. A visible call never leaves before the post is due, whatever the clock did since the claim. */
function nextStepAt(activeRun: ActiveRun, run: TargetRun): number {
  // mutant: no-hold-of-targets
  return currentStep(run) === "commit" ? Math.max(run.wakeAt, activeRun.dueAt) : run.wakeAt;
}

/** Runs every due step of every target concurrently; a slow target does not delay the others. */
export async function advanceTargets(context: RunContext, activeRun: ActiveRun, journal: TargetJournal): Promise<void> {
  const inFlight = new Map<string, Promise<void>>();
  const failures: unknown[] = [];
  const stopAt = context.now() + ALARM_BUDGET_MS;
  let recordAt = Number.POSITIVE_INFINITY;
  const advanceOne = async (run: TargetRun): Promise<void> => {
    const settled = await activeRun.awaitEarlyStep(run);
    if (activeRun.sendingRefusal === null || currentStep(settled) === "verify") {
      await runTargetStep(context, activeRun.publishRun, settled, activeRun.dueAt, journal);
    } else {
      journal.save(
        failWithoutCall(
          settled,
          activeRun.sendingRefusal,
          context.stepContext(activeRun.publishRun, targetOf(activeRun.publishRun, settled)),
        ),
      );
    }
  };
  const start = (run: TargetRun) => {
    const work = advanceOne(run)
      .catch((error: unknown) => {
        failures.push(error);
      })
      .finally(() => inFlight.delete(run.accountId));
    inFlight.set(run.accountId, work);
  };
  for (;;) {
    const now = context.now();
    const waiting = [...activeRun.targetRuns.values()].filter(
      (run) => !inFlight.has(run.accountId) && !isTerminal(run.state),
    );
    if (failures.length === 0 && now < stopAt) {
      for (const run of waiting
        .filter((one) => nextStepAt(activeRun, one) <= now)
        .slice(0, MAX_CONCURRENT_CALLS - inFlight.size)) {
        start(run);
      }
    }
    if (inFlight.size === 0) {
      break;
    }
    if (hasUnrecordedEnd(activeRun)) {
      recordAt = Math.min(recordAt, now + RECORD_END_AFTER_MS);
    }
    const wakeAt = Math.min(
      recordAt,
      ...waiting.filter((run) => !inFlight.has(run.accountId)).map((run) => nextStepAt(activeRun, run)),
    );
    await waitForFirst([...inFlight.values()], (signal) =>
      context.sleep(Math.min(MAX_SLEEP_MS, Math.max(SECOND / 4, wakeAt - now)), signal),
    );
    if (context.now() >= recordAt) {
      recordAt = Number.POSITIVE_INFINITY;
      await recordProgress(context, activeRun);
    }
  }
  // Thrown only now: nothing of this run is in flight any more, so no late step can write to the journal of the next attempt.
  if (failures.length > 0) {
    throw failures[0];
  }
}

/** Writes the changed targets to D1, and the post's final status when every target has ended. */
export async function recordChanges(
  context: RunContext,
  activeRun: ActiveRun,
  { wakeAt, idle }: { readonly wakeAt: number; readonly idle: boolean },
): Promise<RecordResult> {
  const runs = [...activeRun.targetRuns.values()];
  const changed = runs.filter((run) => activeRun.recordedStateKeys.get(run.accountId) !== visibleStateKey(run));
  const { publishRun, runId, watchAt } = activeRun;
  const recorded = await recordRunResults(context.services, {
    publishRun,
    runId,
    runs,
    changed,
    watchAt,
    wakeAt,
    idle,
    onEvents: (workspaceId) => context.services.defer(wakeSenders(context.services, workspaceId)),
  });
  for (const run of changed) {
    activeRun.recordedStateKeys.set(run.accountId, visibleStateKey(run));
  }
  if (recorded.state === "running") {
    activeRun.watchAt = recorded.watchAt;
  }
  return recorded;
}

/** When the next step of any target is due; undefined when all targets have ended. */
export function nextWakeAt(activeRun: ActiveRun): number | undefined {
  const open = [...activeRun.targetRuns.values()].filter((run) => !isTerminal(run.state));
  return open.length === 0 ? undefined : Math.min(...open.map((run) => nextStepAt(activeRun, run)));
}

async function recordProgress(context: RunContext, activeRun: ActiveRun): Promise<void> {
  if (nextWakeAt(activeRun) === undefined) {
    return;
  }
  try {
    await recordChanges(context, activeRun, { wakeAt: context.now() + MAX_SLEEP_MS, idle: false });
  } catch (error) {
    log("warn", "publish.progress_not_recorded", { postId: activeRun.publishRun.post.id, reason: String(error) });
  }
}

function hasUnrecordedEnd(activeRun: ActiveRun): boolean {
  return [...activeRun.targetRuns.values()].some(
    (run) => isTerminal(run.state) && activeRun.recordedStateKeys.get(run.accountId) !== visibleStateKey(run),
  );
}

/** What an owner can see of a target; D1 is written only when this changes. */
export function visibleStateKey(run: TargetRun): string {
  const accepted = run.state === "verifying" && run.acceptedAt !== null;
  // An accepted post is polled every few seconds, too often to record each wake time; an uncertain one a few times in all.
  const waits = run.state === "retry_wait" || (run.state === "verifying" && !accepted);
  const working = accepted || run.state === "preparing" || run.state === "processing" || run.state === "committing";
  return JSON.stringify([
    working ? "processing" : run.state,
    run.attempts,
    waits ? run.wakeAt : null,
    run.progress,
    run.remoteId,
  ]);
}

/** Waits for the first of the calls or for the sleep, and cancels the sleep's timer. */
async function waitForFirst(
  calls: readonly Promise<void>[],
  sleep: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const sleepAbort = new AbortController();
  await Promise.race([...calls, sleep(sleepAbort.signal)]);
  sleepAbort.abort();
}
