import type { JsonValue } from "#core/json.ts";
import type { PublishRun, PublishRunTarget } from "#publisher/run/store-run.ts";
import {
  adoptEarlyPreparation,
  failWithoutCall,
  recoverInterruptedCommit,
  startAsUncertain,
} from "#publisher/run/next-step.ts";
import { isTerminal } from "#posts/rows/state-machine.ts";
import { createTargetRun, type StepContext, type TargetRun } from "#publisher/run/target-run.ts";
import { type ActiveRun, PLAN_MISMATCH_ERROR } from "./advance-targets.ts";
import type { TargetEntry } from "./journal.ts";

/** The fields of the log event for a finished run. */
export function logSummary({ publishRun, targetRuns }: ActiveRun): Record<string, JsonValue> {
  const published = [...targetRuns.values()].flatMap((run) => (run.publishedAt === null ? [] : [run.publishedAt]));
  const lateByMs = published.length === 0 ? null : Math.max(...published) - publishRun.post.scheduledAt;
  return { targets: targetRuns.size, published: published.length, lateByMs };
}

/** A target at the start of a run; `known` is what the journal knows of it for the same version and plan. */
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
  // Before any other check: what the lost run may have sent must be verified, even if the rows have changed since.
  // mutant: take-over-sends-blind
  if (isTakenOver) {
    return startAsUncertain(initialRun, context);
  }
  if (!matchesConfirmation) {
    return failWithoutCall(initialRun, PLAN_MISMATCH_ERROR, context);
  }
  // P17 (the post waits): it goes on with the counters of its earlier tries.
  if (!known || known.state === "retry_wait") {
    return known ?? initialRun;
  }
  return adoptEarlyPreparation(known, initialRun, context.now);
}

/** A target of a run that goes on after sleep or a crash; none if it has ended. */
export function resumeTarget(
  target: PublishRunTarget,
  context: StepContext,
  { isTakenOver, known }: { readonly isTakenOver: boolean; readonly known: TargetRun | undefined },
): readonly TargetRun[] {
  // A terminal state in D1 is final, even if a crash lost the journal entry that led to it.
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

/** Whether a write follows at once that holds this step as well: that of the next intent, or that of the end in D1. */
export function isWrittenNext(activeRun: ActiveRun, run: TargetRun): boolean {
  const isReady = run.state === "preparing" && run.prepared !== null;
  return (
    run.state === "committing" || isReady || [...activeRun.targetRuns.values()].every(({ state }) => isTerminal(state))
  );
}

export function toEntry(publishRun: PublishRun, run: TargetRun): TargetEntry {
  return { version: publishRun.post.version, planHash: publishRun.post.planHash, run };
}

/** A target as D1 has it, to compare what its owner can see. */
export function storedTargetRun(target: PublishRunTarget): TargetRun {
  return { ...createTargetRun(target, target.nextAttemptAt ?? 0), state: target.state, remoteId: target.remoteId };
}
