import { failpoint } from "#core/failpoint.ts";
import type { Fault } from "#platforms/contract.ts";
import { rejected } from "#platforms/fault.ts";
import {
  afterCommit,
  afterEarlyFault,
  afterNoAccess,
  afterExpiredToken,
  afterPrepare,
  afterVerify,
  recordCommitIntent,
  startStep,
  currentStep,
} from "#publisher/run/next-step.ts";
import type { PublishRun } from "#publisher/run/store-run.ts";
import type { TargetRun } from "#publisher/run/target-run.ts";
import { type AdapterCall, callCommit, callPrepare, callVerify } from "./call-adapter.ts";
import { type RunContext, targetOf } from "./run-context.ts";

/** Notes targets in the journal; `flush` waits until everything is on disk. */
export interface TargetJournal {
  save(run: TargetRun): void;
  flush(): Promise<void>;
}

/** Runs the next step of a claimed target and saves the result to the journal. */
export async function runTargetStep(
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
      // The intent must be on disk before the call: a crash could otherwise send it twice. A replaced object fails here.
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

/** Runs one `prepare` step before the post is claimed; a refusal is not final yet, because the step runs again at the due time. */
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
  // A refused login is reported now, so that its owner can log in again before the post is due.
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

/** Whether only the access token was outdated: many platforms revoke a token early while the account is still connected. */
async function isOldToken(context: RunContext, run: TargetRun, fault: Fault): Promise<boolean> {
  return fault.kind === "reconnect" && !(await context.reportRefusal(run.accountId, fault));
}

function asTemporary(fault: Fault): Fault {
  return { ...fault, kind: "temporary", retryAfterSeconds: 1 };
}

/** Drops an expired reference: the visible call would be refused with it. */
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
