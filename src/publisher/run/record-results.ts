import type { ArmHint } from "#core/arming.ts";
import { SECOND } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import type { TargetState } from "#core/status.ts";
import type { Services } from "#context.ts";
import { armHintOf, RUN_LEASE_MS, WATCH_LATE_MS } from "#arming/arm-posts.ts";
import { type PublishRun, writeRunResults } from "./store-run.ts";
import { completionEvent, isOpen, isTerminal, POST_TRANSITIONS } from "#posts/rows/state-machine.ts";
import type { TargetRun } from "./target-run.ts";

/** The state of the post after its results were written. */
export type RecordResult =
  /** The run continues. `watchAt` is the value in D1. */
  | { readonly state: "running"; readonly watchAt: number }
  /** The run has ended, and its journal can be deleted. */
  | { readonly state: "ended" }
  /** A restore put the database back to before this run's claim. The run continues and takes the row back. */
  | { readonly state: "put_back" }
  /** The post is scheduled until its next try (P17), whose time is in the hint. */
  | { readonly state: "waiting"; readonly hint: ArmHint }
  /** An edit has scheduled the post again after the run ended. */
  | { readonly state: "scheduled"; readonly hint: ArmHint };

/**
 * A write moves `watch_at` only if the run's next wake is less than this (ms) before it, because moving it costs two
 * rows.
 */
const RENEW_BELOW_MS = 15 * SECOND;
/** A shorter wait (ms) is not written, because no user could stop the post in that time. */
const MIN_WAIT_MS = 5 * SECOND;

/**
 * Writes the results of a run in one transaction, and ends the post if every target has ended. Safe to repeat after a
 * lost answer.
 */
export async function recordRunResults(
  services: Pick<Services, "db" | "clock" | "adapterFor">,
  input: {
    publishRun: PublishRun;
    runId: string;
    runs: readonly TargetRun[];
    /** The targets that differ from those in D1. */
    changed: readonly TargetRun[];
    watchAt: number;
    /** When (ms) the run wakes next. Ignored if the run ends. */
    wakeAt: number;
    /** Whether no step is running, so that the post may wait for its next try. */
    idle: boolean;
    /** Called if the write may have recorded events of the workspace. */
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

/** Whether a post was only looked up after a restore, and no platform has it or may have it. Its owner then decides. */
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

/**
 * Whether a post may wait for its next try (P17). One that is only looked up after a restore may not, because it would
 * then be sent.
 */
function canWait(runs: readonly TargetRun[], { post, targets }: PublishRun, waitMs: number): boolean {
  return waitMs >= MIN_WAIT_MS && post.pausedReason !== "restored" && !targets.some(isPublic) && onlyWaits(runs);
}

/**
 * Whether every open target waits for a later try, no visible call has an unknown outcome, and nothing is or may be
 * published.
 */
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
