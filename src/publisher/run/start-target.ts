import { isTerminal } from "#posts/rows/state-machine.ts";
import { failWithoutCall, markUncertain } from "./next-step.ts";
import type { PublishRunTarget } from "./store-run.ts";
import { PLAN_MISMATCH_ERROR } from "./target-errors.ts";
import { createTargetRun, type StepContext, type TargetRun, transition } from "./target-run.ts";

/* How a target starts, and how it continues after sleep, a crash or the loss of its journal. */

/**
 * Starts a target as uncertain after a take-over (P9). The lost run may have sent it since its due time, so verify
 * before sending.
 */
export function startAsUncertain(run: TargetRun, ctx: StepContext): TargetRun {
  return transition(run, ctx, "verifying", "recover", "uncertain", {
    wakeAt: ctx.now,
    unansweredVerifies: 0,
    committedAt: Math.min(ctx.dueAt, ctx.now),
    // The lost run may have sent the target just now.
    lastCommittedAt: ctx.now,
    message: "the journal of the previous run was lost",
  });
}

/** Starts a target. `known` is its run in the journal for the same version and content. */
export function startTarget(
  target: PublishRunTarget,
  context: StepContext,
  {
    isTakenOver,
    matchesConfirmation,
    known,
  }: { readonly isTakenOver: boolean; readonly matchesConfirmation: boolean; readonly known: TargetRun | undefined },
): TargetRun {
  const initialRun = createTargetRun(target, context.now);
  // Check this first, even if the rows have changed: what the lost run may have sent must be verified.
  // mutant: take-over-sends-blind
  if (isTakenOver) {
    return startAsUncertain(initialRun, context);
  }
  if (!matchesConfirmation) {
    return failWithoutCall(initialRun, PLAN_MISMATCH_ERROR, context);
  }
  // A target that waits for its next try (P17) keeps the counters of the earlier tries.
  if (!known || known.state === "retry_wait") {
    return known ?? initialRun;
  }
  return adoptEarlyPreparation(known, initialRun, context.now);
}

/** Continues a target after sleep or a crash. Returns nothing if it has ended. */
export function resumeTarget(
  target: PublishRunTarget,
  context: StepContext,
  { isTakenOver, known }: { readonly isTakenOver: boolean; readonly known: TargetRun | undefined },
): readonly TargetRun[] {
  // A final state in D1 stays final, even if a crash lost the journal entry that led to it.
  if (isTerminal(target.state)) {
    return [];
  }
  if (known && isTerminal(known.state)) {
    return [known];
  }
  return known && !isTakenOver
    ? [recoverInterruptedCommit(known, context)]
    : [startAsUncertain(known ?? createTargetRun(target, context.now), context)];
}

/** Handles a crash during a visible call (T11): an intent on disk means that the call may have been sent. */
export function recoverInterruptedCommit(run: TargetRun, ctx: StepContext): TargetRun {
  return run.state === "committing"
    ? markUncertain(run, ctx, "recover", "the publisher stopped in the middle of the call")
    : run;
}

/** Keeps the references and the history of early preparation, and resets its counters. */
export function adoptEarlyPreparation(run: TargetRun, { attempts, progress }: TargetRun, now: number): TargetRun {
  const hasStarted = run.prepared !== null || run.cursor !== null;
  return {
    ...run,
    attempts,
    progress,
    state: hasStarted ? run.state : "pending",
    wakeAt: hasStarted ? Math.max(run.wakeAt, now) : now,
    attemptCounted: false,
    runAttempts: 0,
    preparingSince: null,
  };
}
