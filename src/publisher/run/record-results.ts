import type { ArmHint } from "#core/arming.ts";
import { SECOND } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import type { TargetState } from "#core/status.ts";
import type { Services } from "#context.ts";
import { armHintOf, RUN_LEASE_MS, WATCH_LATE_MS } from "#arming/arm-posts.ts";
import { type PublishRun, writeRunResults } from "./store-run.ts";
import { completionEvent, isOpen, isTerminal, POST_TRANSITIONS } from "#posts/rows/state-machine.ts";
import type { TargetRun } from "./target-run.ts";

/** The state of the post after the write. */
export type RecordResult =
  /** The run continues; `watchAt` is what D1 now holds. */
  | { readonly state: "running"; readonly watchAt: number }
  /** The run has ended and its journal can be deleted. */
  | { readonly state: "ended" }
  /** The database was put back to before this run's claim; the run continues and takes the row back. */
  | { readonly state: "put_back" }
  /** P17: the post is scheduled until its next try, which the hint says. */
  | { readonly state: "waiting"; readonly hint: ArmHint }
  /** An edit scheduled the post again after the run had ended. */
  | { readonly state: "scheduled"; readonly hint: ArmHint };

/** With less than this between the run's next wake and `watch_at`, a write also moves `watch_at`; otherwise the two rows that this costs are saved. */
const RENEW_BELOW_MS = 15 * SECOND;
/** A shorter wait is over before anybody could stop the post, and is not worth the writes. */
const MIN_WAIT_MS = 5 * SECOND;

/**
 * Writes the results of a run in one transaction and ends the post when every target has ended. Safe to repeat until it is
 * answered.
 */
export async function recordRunResults(
  services: Pick<Services, "db" | "clock" | "adapterFor">,
  input: {
    publishRun: PublishRun;
    runId: string;
    /** Every target of the run. */
    runs: readonly TargetRun[];
    /** The targets that differ from what D1 holds. */
    changed: readonly TargetRun[];
    watchAt: number;
    /** When the run wakes next; ignored when the run ends. */
    wakeAt: number;
    /** Whether no step is in flight, so that the post may wait for its next try. */
    idle: boolean;
    /** Called with the workspace when there may be events of it. */
    onEvents(workspaceId: string): void;
  },
): Promise<RecordResult> {
  const { publishRun, runId, changed } = input;
  const states = new Map(publishRun.targets.map((target) => [target.accountId, target.state]));
  for (const run of input.runs) {
    states.set(run.accountId, run.state);
  }
  const notFound = isNotFoundAfterRestore(publishRun, input.runs, states);
  const completion = notFound ? "not_found" : completionEvent([...states.values()]);
  const watchAt = input.watchAt < input.wakeAt + RENEW_BELOW_MS ? input.wakeAt + RUN_LEASE_MS : undefined;
  const waits = !completion && input.idle && canWait(input.runs, publishRun, input.wakeAt - services.clock.now());
  if (!completion && !waits && changed.length === 0 && watchAt === undefined) {
    return { state: "running", watchAt: input.watchAt };
  }
  await failpoint("record.before_send");
  const row = await writeRunResults(services.db, {
    postId: publishRun.post.id,
    runId,
    now: services.clock.now(),
    targets: notFound ? input.runs.map(reopened) : completion ? input.runs : changed,
    status: waits ? POST_TRANSITIONS.publishing.wait : completion && POST_TRANSITIONS.publishing[completion],
    watchAt: waits ? input.wakeAt + WATCH_LATE_MS : watchAt,
  });
  await failpoint("record.after_send");
  if (row?.recordsEvents === true) {
    input.onEvents(row.workspaceId);
  }
  if (row?.status === "publishing" && row.runId === runId) {
    return { state: "running", watchAt: watchAt ?? input.watchAt };
  }
  if (row?.status === "scheduled" && row.version <= publishRun.post.version) {
    return { state: "put_back" };
  }
  if (waits && row?.status === "scheduled" && row.version === publishRun.post.version + 1) {
    return {
      state: "waiting",
      hint: { ...armHintOf(services, { ...row, scheduledAt: input.wakeAt }), prepareAheadMs: 0 },
    };
  }
  return row?.status === "scheduled" ? { state: "scheduled", hint: armHintOf(services, row) } : { state: "ended" };
}

/** After a restore its targets were only looked up, and no platform has or may have one: its owner decides. */
function isNotFoundAfterRestore(
  { post, targets }: PublishRun,
  runs: readonly TargetRun[],
  states: ReadonlyMap<string, TargetState>,
): boolean {
  const allStates = [...states.values()];
  return (
    post.pausedReason === "restored" &&
    allStates.every(isTerminal) &&
    !allStates.some((state) => state === "published" || state === "unconfirmed") &&
    targets.every(({ progress }) => progress === null) &&
    runs.some(isUnsent)
  );
}

function isUnsent({ state, error, progress }: TargetRun): boolean {
  return state === "failed" && progress === null && (error?.code === "database_restored" || error?.code === "deadline");
}

function reopened(run: TargetRun): TargetRun {
  return isUnsent(run) ? { ...run, state: "pending", error: null } : run;
}

/** P17. A post that is only looked up after a restore never becomes one that is sent. */
function canWait(runs: readonly TargetRun[], { post, targets }: PublishRun, waitMs: number): boolean {
  return waitMs >= MIN_WAIT_MS && post.pausedReason !== "restored" && !targets.some(isPublic) && onlyWaits(runs);
}

/** Whether every open target waits for a later try, no visible call is in question, and nothing is public or may be. */
export function onlyWaits(runs: readonly TargetRun[]): boolean {
  const open = runs.filter(({ state }) => isOpen(state));
  return (
    open.length > 0 &&
    open.every(({ state, committedAt }) => state === "retry_wait" && committedAt === null) &&
    !runs.some(isPublic)
  );
}

function isPublic({ state, progress }: Pick<TargetRun, "state" | "progress">): boolean {
  return state === "published" || state === "unconfirmed" || progress !== null;
}
