import { MINUTE, SECOND } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import type { Fault } from "#platforms/contract.ts";
import { rejected } from "#platforms/fault.ts";
import { isTerminal } from "#posts/rows/state-machine.ts";
import {
  afterCommit,
  afterEarlyFault,
  afterNoAccess,
  afterExpiredToken,
  afterPrepare,
  afterVerify,
  currentStep,
  failWithoutCall,
  recordCommitIntent,
  startStep,
} from "#publisher/run/next-step.ts";
import type { PublishRun } from "#publisher/run/store-run.ts";
import type { TargetRun } from "#publisher/run/target-run.ts";
import { type ActiveRun, nextStepAt } from "./active-run.ts";
import { type AdapterCall, callCommit, callPrepare, callVerify } from "./call-adapter.ts";
import { hasUnrecordedEnd, recordProgress } from "./record-changes.ts";
import { type RunContext, targetOf } from "./run-context.ts";

/** How many targets run in parallel, because a Worker can have six open connections. */
export const MAX_CONCURRENT_CALLS = 6;
/**
 * After this time (ms) an alarm handler starts no step, so that its last step ends within the runtime's limit of 15
 * minutes.
 */
const ALARM_BUDGET_MS = 8 * MINUTE;
/** How long (ms) a finished target waits for others, so that one D1 write records them together. */
const RECORD_END_AFTER_MS = 3 * SECOND;
const MAX_SLEEP_MS = 30 * SECOND;

/** Saves targets to the journal. `flush` waits until they are on disk. */
export interface TargetJournal {
  save(run: TargetRun): void;
  flush(): Promise<void>;
}

/** Runs the due steps of all targets in parallel, so that a slow target does not delay the others. */
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
      await recordProgress(context, activeRun, context.now() + MAX_SLEEP_MS);
    }
  }
  // Throw only now, when no step is running. A late step could otherwise write to the journal of the next attempt.
  if (failures.length > 0) {
    throw failures[0];
  }
}

/** Waits for the first of the calls, or for the end of the sleep, whose timer it then cancels. */
async function waitForFirst(
  calls: readonly Promise<void>[],
  sleep: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const sleepAbort = new AbortController();
  await Promise.race([...calls, sleep(sleepAbort.signal)]);
  sleepAbort.abort();
}

/** Runs the next step of a claimed target, and saves the result to the journal. */
async function runTargetStep(
  context: RunContext,
  publishRun: PublishRun,
  run: TargetRun,
  dueAt: number,
  journal: TargetJournal,
): Promise<TargetRun> {
  const created = await createCall(context, publishRun, run, dueAt);
  const target = targetOf(publishRun, run);
  if (!created.ok) {
    return saveRun(journal, afterNoAccess(run, created.fault, context.stepContext(publishRun, target)));
  }
  const { call } = created;
  const started = startStep(dropExpired(run, context.now()), context.now());
  switch (currentStep(started)) {
    case "prepare": {
      await failpoint("prepare.before_send");
      const { outcome, httpStatus } = await callPrepare({ ...call, run: started });
      await failpoint("prepare.after_send");
      const stepContext = context.stepContext(publishRun, target, httpStatus);
      return outcome.state === "refused" && (await isOldToken(context, run, outcome.fault))
        ? saveRun(journal, afterExpiredToken(started, outcome.fault, stepContext))
        : saveRun(journal, afterPrepare(started, outcome, stepContext));
    }
    case "commit": {
      await failpoint("commit.before_intent");
      const intended = recordCommitIntent(started, context.now());
      // mutant: no-journal
      journal.save(intended);
      // The intent must be on disk before the call, because after a crash the object would otherwise send the call
      // twice. If another object has replaced this one, the write fails.
      await journal.flush();
      await failpoint("commit.before_send");
      const { outcome, httpStatus } = await callCommit({ ...call, run: intended });
      await failpoint("commit.after_send");
      const stepContext = context.stepContext(publishRun, target, httpStatus);
      return outcome.state === "refused" && (await isOldToken(context, run, outcome.fault))
        ? saveRun(journal, afterExpiredToken(intended, outcome.fault, stepContext))
        : saveRun(journal, afterCommit(intended, outcome, stepContext));
    }
    case "verify": {
      await failpoint("verify.before_send");
      const { outcome, httpStatus } = await callVerify({ ...call, run: started });
      await failpoint("verify.after_send");
      const stepContext = context.stepContext(publishRun, target, httpStatus);
      return outcome.state === "refused" && (await isOldToken(context, run, outcome.fault))
        ? saveRun(journal, afterExpiredToken(started, outcome.fault, stepContext))
        : saveRun(journal, afterVerify(started, outcome, stepContext));
    }
  }
}

/** Runs one `prepare` step before the due time. A refusal is not final, because the step runs again at the due time. */
export async function runEarlyStep(
  context: RunContext,
  publishRun: PublishRun,
  run: TargetRun,
  dueAt: number,
): Promise<TargetRun> {
  const target = targetOf(publishRun, run);
  const created = await createCall(context, publishRun, run, dueAt);
  if (!created.ok) {
    return afterEarlyFault(run, created.fault, context.stepContext(publishRun, target));
  }
  await failpoint("prepare.before_send");
  const { outcome, httpStatus } = await callPrepare(created.call);
  await failpoint("prepare.after_send");
  const stepContext = context.stepContext(publishRun, target, httpStatus);
  if (outcome.state !== "refused") {
    return afterPrepare(run, outcome, stepContext);
  }
  // Report a refused login now, so that its owner can log in again before the post is due.
  const fault = (await isOldToken(context, run, outcome.fault)) ? asTemporary(outcome.fault) : outcome.fault;
  return afterEarlyFault(run, fault, stepContext);
}

async function createCall(
  context: RunContext,
  publishRun: PublishRun,
  run: TargetRun,
  dueAt: number,
): Promise<{ ok: true; call: AdapterCall } | { ok: false; fault: Fault }> {
  const target = targetOf(publishRun, run);
  const adapter = context.services.adapterFor(target.platform);
  if (!adapter) {
    return { ok: false, fault: NO_ADAPTER };
  }
  const access = await context.access(run.accountId);
  return access.ok
    ? {
        ok: true,
        call: { ...context.callDependencies(), adapter, access: access.value, publishRun, target, run, dueAt },
      }
    : { ok: false, fault: access.fault };
}

/**
 * Whether only the access token was outdated. Many platforms revoke tokens early although the account stays connected.
 */
async function isOldToken(context: RunContext, run: TargetRun, fault: Fault): Promise<boolean> {
  return fault.kind === "reconnect" && !(await context.reportRefusal(run.accountId, fault));
}

function asTemporary(fault: Fault): Fault {
  return { ...fault, kind: "temporary", retryAfterSeconds: 1 };
}

/** Drops an expired reference, with which the platform would refuse the visible call. */
function dropExpired(run: TargetRun, now: number): TargetRun {
  const expired = run.prepared !== null && run.prepared.expiresAt !== null && run.prepared.expiresAt <= now;
  return expired && run.state !== "verifying" ? { ...run, prepared: null, cursor: null, preparingSince: null } : run;
}

function saveRun(journal: TargetJournal, run: TargetRun): TargetRun {
  journal.save(run);
  return run;
}

const NO_ADAPTER = rejected(
  "This installation cannot publish to the platform.",
  { httpStatus: null },
  { code: "platform_not_configured", category: "internal", whoMustAct: "operator" },
);
