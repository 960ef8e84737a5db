import { log } from "#core/log.ts";
import { isTerminal } from "#posts/rows/state-machine.ts";
import { recordRunResults, type RecordResult } from "#publisher/run/record-results.ts";
import { visibleStateKey } from "#publisher/run/target-run.ts";
import { wakeSenders } from "#webhooks/index.ts";
import { type ActiveRun, nextWakeAt } from "./active-run.ts";
import type { RunContext } from "./run-context.ts";

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

/** Records finished targets while other targets are still running. */
export async function recordProgress(context: RunContext, activeRun: ActiveRun, wakeAt: number): Promise<void> {
  if (nextWakeAt(activeRun) === undefined) {
    return;
  }
  try {
    await recordChanges(context, activeRun, { wakeAt, idle: false });
  } catch (error) {
    log("warn", "publish.progress_not_recorded", { postId: activeRun.publishRun.post.id, reason: String(error) });
  }
}

export function hasUnrecordedEnd(activeRun: ActiveRun): boolean {
  return [...activeRun.targetRuns.values()].some(
    (run) => isTerminal(run.state) && activeRun.recordedStateKeys.get(run.accountId) !== visibleStateKey(run),
  );
}
