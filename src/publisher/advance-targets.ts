import { MINUTE, SECOND } from "#core/clock.ts";
import { log } from "#core/log.ts";
import { giveUp, stepOf } from "#posting/run/next-step.ts";
import { isTerminal } from "#posting/state-machine.ts";
import { recordRun, type Recorded } from "#posting/run/record-results.ts";
import type { PublishRun } from "#posting/run/store-run.ts";
import type { TargetRun } from "#posting/run/target-run.ts";
import { type RunContext, targetOf } from "./run-context.ts";
import { type Keep, takeStep } from "./target-step.ts";

/** As many calls at once as a Worker has connections. */
export const MAX_AT_ONCE = 6;
/** One alarm works this long, so that with its last step it stays within the platform's quarter of an hour. */
const BUDGET_MS = 8 * MINUTE;
/** A finished target waits this long for its siblings before it is shown. */
const SHOW_AFTER_MS = 3 * SECOND;
const LONGEST_PAUSE_MS = 30 * SECOND;

/** A claimed post in memory; the journal has everything that must survive. */
export interface LiveRun {
  readonly runId: string;
  readonly plan: PublishRun;
  /** Whether the rows still are what was confirmed; otherwise targets may be looked for but nothing is sent. */
  readonly asConfirmed: boolean;
  readonly dueAt: number;
  readonly runs: Map<string, TargetRun>;
  /** What D1 was last told of each target. */
  readonly shown: Map<string, string>;
  watchAt: number;
  /** Waits for an early step of the target that is still on its way, and takes over what it prepared. */
  readonly settle: (run: TargetRun) => Promise<TargetRun>;
}

export const NOT_AS_CONFIRMED = {
  code: "plan_mismatch",
  category: "internal",
  message: "What is stored differs from what was confirmed, so nothing was sent.",
  platformCode: null,
  retryable: true,
  whoMustAct: "operator",
} as const;

/** Lets every target go as far as it can now; each on its own, none waits for another. */
export async function advance(desk: RunContext, live: LiveRun, keep: Keep): Promise<void> {
  const active = new Map<string, Promise<void>>();
  const failures: unknown[] = [];
  const stopAt = desk.now() + BUDGET_MS;
  let showAt = Number.POSITIVE_INFINITY;
  const takeOne = async (run: TargetRun): Promise<void> => {
    const settled = await live.settle(run);
    if (live.asConfirmed || stepOf(settled) === "verify") {
      await takeStep(desk, live.plan, settled, live.dueAt, keep);
    } else {
      keep.save(giveUp(settled, NOT_AS_CONFIRMED, desk.moment(live.plan, targetOf(live.plan, settled))));
    }
  };
  const start = (run: TargetRun) => {
    const work = takeOne(run)
      .catch((error: unknown) => {
        failures.push(error);
      })
      .finally(() => active.delete(run.accountId));
    active.set(run.accountId, work);
  };
  for (;;) {
    const now = desk.now();
    const waiting = [...live.runs.values()].filter((run) => !active.has(run.accountId) && !isTerminal(run.state));
    if (failures.length === 0 && now < stopAt) {
      for (const run of waiting.filter((one) => one.wakeAt <= now).slice(0, MAX_AT_ONCE - active.size)) {
        start(run);
      }
    }
    if (active.size === 0) {
      break;
    }
    if (hasFinished(live)) {
      showAt = Math.min(showAt, now + SHOW_AFTER_MS);
    }
    const wakeAt = Math.min(showAt, ...waiting.filter((run) => !active.has(run.accountId)).map((run) => run.wakeAt));
    await firstOf([...active.values()], (signal) =>
      desk.wait(Math.min(LONGEST_PAUSE_MS, Math.max(SECOND / 4, wakeAt - now)), signal),
    );
    if (desk.now() >= showAt) {
      showAt = Number.POSITIVE_INFINITY;
      await showProgress(desk, live);
    }
  }
  // Nothing of this run is in flight any more, so whoever comes next starts from a quiet journal.
  if (failures.length > 0) {
    throw failures[0];
  }
}

/** Writes what D1 does not know yet; ends the post when no target moves any more. */
export async function show(desk: RunContext, live: LiveRun, wakeAt: number): Promise<Recorded> {
  const runs = [...live.runs.values()];
  const changed = runs.filter((run) => live.shown.get(run.accountId) !== visibleStateKey(run));
  const { plan, runId, watchAt } = live;
  const recorded = await recordRun(desk.services, { plan, runId, runs, changed, watchAt, wakeAt });
  for (const run of changed) {
    live.shown.set(run.accountId, visibleStateKey(run));
  }
  if (recorded.state === "running") {
    live.watchAt = recorded.watchAt;
  }
  return recorded;
}

/** When the next target of the run wants to go on; undefined when all have ended. */
export function nextWake(live: LiveRun): number | undefined {
  const open = [...live.runs.values()].filter((run) => !isTerminal(run.state));
  return open.length === 0 ? undefined : Math.min(...open.map((run) => run.wakeAt));
}

async function showProgress(desk: RunContext, live: LiveRun): Promise<void> {
  if (nextWake(live) === undefined) {
    return;
  }
  try {
    await show(desk, live, desk.now() + LONGEST_PAUSE_MS);
  } catch (error) {
    log("warn", "publish.progress_not_shown", { postId: live.plan.post.id, reason: String(error) });
  }
}

function hasFinished(live: LiveRun): boolean {
  return [...live.runs.values()].some(
    (run) => isTerminal(run.state) && live.shown.get(run.accountId) !== visibleStateKey(run),
  );
}

/** What an owner can see of a target: while this is the same, D1 need not be told. */
export function visibleStateKey(run: TargetRun): string {
  const accepted = run.state === "verifying" && run.acceptedAt !== null;
  // What the platform works on is asked about every few seconds; what is in doubt a few times in all.
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

/** Waits for the first of the calls, or for the pause, and never leaves a timer behind. */
async function firstOf(calls: readonly Promise<void>[], pause: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const over = new AbortController();
  await Promise.race([...calls, pause(over.signal)]);
  over.abort();
}
