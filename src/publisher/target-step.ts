import { failpoint } from "#core/failpoint.ts";
import type { Fault } from "#platforms/contract.ts";
import { rejected } from "#platforms/fault.ts";
import {
  afterCommit,
  afterEarlyFault,
  afterNoAccess,
  afterOldToken,
  afterPrepare,
  afterVerify,
  intendCommit,
  startStep,
  stepOf,
} from "#posting/run/next-step.ts";
import type { PublishRun } from "#posting/run/store-run.ts";
import type { TargetRun } from "#posting/run/target-run.ts";
import { type Call, callCommit, callPrepare, callVerify } from "./call-adapter.ts";
import { type RunContext, targetOf } from "./run-context.ts";

/** Puts a target into the journal; `flush` also waits until it is on disk. */
export interface Keep {
  save(run: TargetRun): void;
  flush(): Promise<void>;
}

/** One step of a claimed target: one question to its platform, its answer in the journal. */
export async function takeStep(
  desk: RunContext,
  plan: PublishRun,
  run: TargetRun,
  dueAt: number,
  keep: Keep,
): Promise<TargetRun> {
  const opened = await openCall(desk, plan, run, dueAt);
  const target = targetOf(plan, run);
  if (!opened.ok) {
    return saved(keep, afterNoAccess(run, opened.fault, desk.moment(plan, target)));
  }
  const { call } = opened;
  const started = startStep(dropExpired(run, desk.now()), desk.now());
  switch (stepOf(started)) {
    case "prepare": {
      await failpoint("prepare.before_send");
      const { outcome, httpStatus } = await callPrepare({ ...call, run: started });
      await failpoint("prepare.after_send");
      const at = desk.moment(plan, target, httpStatus);
      return outcome.state === "refused" && (await isOldToken(desk, run, outcome.fault))
        ? saved(keep, afterOldToken(started, outcome.fault, at))
        : saved(keep, afterPrepare(started, outcome, at));
    }
    case "commit": {
      await failpoint("commit.before_intent");
      const intended = intendCommit(started, desk.now());
      keep.save(intended);
      // On disk before it leaves, or a crash could send it twice; and a replaced object fails here instead of sending.
      await keep.flush();
      await failpoint("commit.before_send");
      const { outcome, httpStatus } = await callCommit({ ...call, run: intended });
      await failpoint("commit.after_send");
      const at = desk.moment(plan, target, httpStatus);
      return outcome.state === "refused" && (await isOldToken(desk, run, outcome.fault))
        ? saved(keep, afterOldToken(intended, outcome.fault, at))
        : saved(keep, afterCommit(intended, outcome, at));
    }
    case "verify": {
      await failpoint("verify.before_send");
      const { outcome, httpStatus } = await callVerify({ ...call, run: started });
      await failpoint("verify.after_send");
      const at = desk.moment(plan, target, httpStatus);
      return outcome.state === "refused" && (await isOldToken(desk, run, outcome.fault))
        ? saved(keep, afterOldToken(started, outcome.fault, at))
        : saved(keep, afterVerify(started, outcome, at));
    }
  }
}

/** One early step of a target that is not claimed: invisible, and a refusal means nothing yet. */
export async function takeEarlyStep(
  desk: RunContext,
  plan: PublishRun,
  run: TargetRun,
  dueAt: number,
): Promise<TargetRun> {
  const target = targetOf(plan, run);
  const opened = await openCall(desk, plan, run, dueAt);
  if (!opened.ok) {
    return afterEarlyFault(run, opened.fault, desk.moment(plan, target));
  }
  await failpoint("prepare.before_send");
  const { outcome, httpStatus } = await callPrepare(opened.call);
  await failpoint("prepare.after_send");
  const at = desk.moment(plan, target, httpStatus);
  if (outcome.state !== "refused") {
    return afterPrepare(run, outcome, at);
  }
  // Told now, the owner of a dead login has time to log in again before the post is due.
  const fault = (await isOldToken(desk, run, outcome.fault)) ? renewed(outcome.fault) : outcome.fault;
  return afterEarlyFault(run, fault, at);
}

async function openCall(
  desk: RunContext,
  plan: PublishRun,
  run: TargetRun,
  dueAt: number,
): Promise<{ ok: true; call: Call } | { ok: false; fault: Fault }> {
  const target = targetOf(plan, run);
  const adapter = desk.services.adapterFor(target.platform);
  if (!adapter) {
    return { ok: false, fault: NO_ADAPTER };
  }
  const access = await desk.access(run.accountId);
  return access.ok
    ? { ok: true, call: { ...desk.tools(), adapter, access: access.value, plan, target, run, dueAt } }
    : { ok: false, fault: access.fault };
}

/** Many platforms end a token before its time: then the account is fine and only the token was old. */
async function isOldToken(desk: RunContext, run: TargetRun, fault: Fault): Promise<boolean> {
  return fault.kind === "reconnect" && !(await desk.reportRefusal(run.accountId, fault));
}

function renewed(fault: Fault): Fault {
  return { ...fault, kind: "temporary", retryAfterSeconds: 1 };
}

/** A reference that has died is not worth the visible call. */
function dropExpired(run: TargetRun, now: number): TargetRun {
  const expired = run.ready !== null && run.ready.expiresAt !== null && run.ready.expiresAt <= now;
  return expired && run.state !== "verifying" ? { ...run, ready: null, cursor: null, preparingSince: null } : run;
}

function saved(keep: Keep, run: TargetRun): TargetRun {
  keep.save(run);
  return run;
}

const NO_ADAPTER = rejected(
  "This installation cannot publish to the platform.",
  { httpStatus: null },
  { code: "platform_not_configured", category: "internal", whoMustAct: "operator" },
);
