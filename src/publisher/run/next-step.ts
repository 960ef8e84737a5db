import { DAY, HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { canonicalJson } from "#core/json.ts";
import type { PostType } from "#core/status.ts";
import type { StoredTargetError } from "#db/schema.ts";
import { RETRY_DEADLINE_MS } from "#posts/rows/state-machine.ts";
import type {
  CommitOutcome,
  Fault,
  MoreOutcome,
  PrepareOutcome,
  PublishedOutcome,
  VerifyOutcome,
} from "#platforms/contract.ts";
import {
  failTarget,
  publishedWithoutExtras,
  withState,
  type StepContext,
  transition,
  appendHistory,
  clampWaitMs,
  type TargetRun,
} from "./target-run.ts";
import { toExtraResults } from "./extra-results.ts";
import { outcomeOfThread } from "./thread-error.ts";
import { deadlineError, INTERNAL_ERROR, outcomeUnknownError, toTargetError } from "./target-errors.ts";

/* Decides what happens next to a target. Each pure function takes the target's run and an outcome, and returns the
   next run. T1 to T16 are the rows of the target table in docs/guide/publishing-reference.md. */

export const MAX_RUN_ATTEMPTS = 8;
const RETRY_BASE_MS = 30 * SECOND;
const RETRY_MAX_MS = 15 * MINUTE;
const RATE_LIMIT_DEADLINE_MS = DAY;
/** The waits (s) between lookups. After the last one the target ends as unconfirmed. */
export const VERIFY_WAITS_SECONDS = [1, 2, 5, 10, 30, 60] as const;
export const MAX_STALE_REFERENCES = 3;
const MAX_PARTS = 100;
/**
 * The longest wait (s) while a platform processes. It is long, because such a platform counts each look against its
 * quota.
 */
const MAX_PROCESSING_WAIT_SECONDS = 3600;

/** The platform has certainly not published the visible call. */
const NOT_COMMITTED = { committedAt: null, lastCommittedAt: null } as const;

/** How long (ms) a platform may process media before the target fails. */
function processingLimitMs(postType: PostType): number {
  return postType === "video" ? 2 * HOUR : 30 * MINUTE;
}

/**
 * The wait (ms) after `attempts` failures: exponential with full jitter, so that posts that failed together do not
 * retry together.
 */
export function backoffMs(attempts: number, random: number): number {
  return Math.ceil(random * Math.min(RETRY_MAX_MS, RETRY_BASE_MS * 2 ** Math.max(0, attempts - 1)));
}

export type Step = "prepare" | "commit" | "verify";

export function currentStep(run: TargetRun): Step {
  if (run.state === "verifying") {
    return "verify";
  }
  return run.prepared ? "commit" : "prepare";
}

/** Marks the start of a step, and counts the attempt that it belongs to. */
export function startStep(run: TargetRun, now: number): TargetRun {
  const started = run.prepared || run.preparingSince !== null ? run : { ...run, preparingSince: now };
  return run.attemptCounted
    ? started
    : { ...started, attemptCounted: true, attempts: run.attempts + 1, runAttempts: run.runAttempts + 1 };
}

/** Records the intent to send a visible call (T1, T5). It must be on disk before the request is sent. */
export function recordCommitIntent(run: TargetRun, now: number): TargetRun {
  return {
    ...withState(run, "committing"),
    committedAt: run.committedAt ?? now,
    lastCommittedAt: now,
    // Lateness ends at the first call that made something visible, so overwrite the time of a call that did not.
    startedAt: run.publishedParts > 0 ? run.startedAt : now,
    acceptedAt: null,
  };
}

export function afterPrepare(run: TargetRun, outcome: PrepareOutcome, ctx: StepContext): TargetRun {
  switch (outcome.state) {
    case "ready":
      return transition(run, ctx, "preparing", "prepare", "ready", {
        wakeAt: ctx.now,
        cursor: null,
        prepared: { ref: outcome.ref, expiresAt: outcome.expiresAt ?? null },
      });
    case "again": {
      if (ctx.now - (run.preparingSince ?? ctx.now) > processingLimitMs(ctx.postType)) {
        return failTarget(run, ctx, "prepare", deadlineError("the platform did not finish processing in time", null));
      }
      // A cursor that does not change must not cause a busy loop.
      const isUnchanged = run.cursor !== null && canonicalJson(run.cursor.value) === canonicalJson(outcome.cursor);
      const wait = clampWaitMs(outcome.afterSeconds, isUnchanged ? 1 : 0);
      return transition(run, ctx, wait > 0 ? "processing" : "preparing", "prepare", "again", {
        wakeAt: ctx.now + wait,
        cursor: { value: outcome.cursor },
      });
    }
    case "refused":
      return afterFault(run, "prepare", outcome.fault, ctx);
  }
}

export function afterCommit(run: TargetRun, outcome: CommitOutcome, ctx: StepContext): TargetRun {
  switch (outcome.state) {
    case "published":
      // mutant: send-after-acceptance
      return markPublished(run, "commit", outcome, ctx);
    case "accepted":
      return transition(run, ctx, "verifying", "commit", "accepted", {
        wakeAt: ctx.now + clampWaitMs(outcome.afterSeconds, 0.25),
        unansweredVerifies: 0,
        acceptedAt: ctx.now,
        prepared: { ref: outcome.ref, expiresAt: null },
      });
    case "more":
      return continueWithNextPart(run, "commit", outcome, ctx);
    case "stale":
      return prepareAgain(run, "commit", outcome.detail, ctx);
    case "refused":
      // An adapter must not call a failed publication "temporary". If it does, the post may still be published, so the
      // outcome is uncertain.
      return outcome.fault.kind === "temporary"
        ? markUncertain(run, ctx, "commit", outcome.fault.message)
        : afterFault({ ...run, ...NOT_COMMITTED }, "commit", outcome.fault, ctx);
    case "uncertain":
      // mutant: blind-retry
      return markUncertain(
        outcome.ref === undefined ? run : { ...run, prepared: { ref: outcome.ref, expiresAt: null } },
        { ...ctx, httpStatus: outcome.httpStatus },
        "commit",
        outcome.detail,
      );
  }
}

export function afterVerify(run: TargetRun, outcome: VerifyOutcome, ctx: StepContext): TargetRun {
  switch (outcome.state) {
    case "published":
      return markPublished(run, "verify", outcome, ctx);
    case "more":
      return continueWithNextPart(run, "verify", outcome, ctx);
    case "again": {
      const waiting = outcome.ref === undefined ? run : { ...run, prepared: { ref: outcome.ref, expiresAt: null } };
      // mutant: unanswered-lookup-as-absence
      return outcome.isProcessing
        ? waitForProcessing(waiting, outcome.afterSeconds, ctx)
        : verifyAgain(waiting, outcome.afterSeconds, null, ctx);
    }
    case "absent": {
      // The post is certainly absent (T13): the only way from uncertain back to sending, at once at first, then with
      // growing waits.
      const wait = run.runAttempts > 1 ? backoffMs(run.runAttempts - 1, ctx.random) : 0;
      if (run.runAttempts >= MAX_RUN_ATTEMPTS || ctx.now + wait > ctx.dueAt + RETRY_DEADLINE_MS) {
        return failTarget(run, ctx, "verify", deadlineError("the platform repeatedly did not have the post", null));
      }
      return transition(run, ctx, "retry_wait", "verify", "absent", {
        wakeAt: ctx.now + wait,
        attemptCounted: false,
        unansweredVerifies: 0,
        acceptedAt: null,
      });
    }
    case "stale":
      return prepareAgain(run, "verify", outcome.detail, ctx);
    case "refused":
      return afterVerifyFault(run, outcome.fault, ctx);
    case "cannot_tell":
      return markUnconfirmed(run, ctx, outcome.detail);
  }
}

/** Decides after a refused lookup. It proves nothing, unless the platform says that it rejected the post. */
function afterVerifyFault(run: TargetRun, fault: Fault, ctx: StepContext): TargetRun {
  switch (fault.kind) {
    case "rejected":
      return failTarget(run, ctx, "verify", toTargetError(fault));
    case "reconnect":
      return markUnconfirmed(run, ctx, fault.message);
    case "rate_limited":
    case "temporary":
      return verifyAgain(run, fault.retryAfterSeconds ?? 0, fault.message, ctx);
  }
}

/** Repeats a step with a new token after the platform refused an outdated one. */
export function afterExpiredToken(run: TargetRun, fault: Fault, ctx: StepContext): TargetRun {
  const step = currentStep(run);
  if (step === "verify") {
    return verifyAgain(run, 1, fault.message, ctx);
  }
  const notCommitted = run.state === "committing" ? { ...run, ...NOT_COMMITTED } : run;
  return afterFault(notCommitted, step, { ...fault, kind: "temporary", retryAfterSeconds: 1 }, ctx);
}

/**
 * Decides if there is no usable token (T16). A target that was not sent fails or waits. One that may have been sent
 * stays uncertain.
 */
export function afterNoAccess(run: TargetRun, fault: Fault, ctx: StepContext): TargetRun {
  if (run.state === "verifying") {
    return fault.kind === "reconnect" || fault.kind === "rejected"
      ? markUnconfirmed(run, ctx, fault.message)
      : verifyAgain(run, fault.retryAfterSeconds ?? 0, fault.message, ctx);
  }
  if (fault.kind === "temporary") {
    const wait =
      fault.retryAfterSeconds === undefined ? backoffMs(1, ctx.random) : clampWaitMs(fault.retryAfterSeconds, 0.25);
    return ctx.now + wait > ctx.dueAt + RETRY_DEADLINE_MS
      ? failTarget(run, ctx, "access", deadlineError(fault.message, fault))
      : transition(run, ctx, "retry_wait", "access", fault.kind, { wakeAt: ctx.now + wait, message: fault.message });
  }
  return afterFault(run, "access", fault, ctx);
}

/** Hides a fault before the due time from the owner, because preparation runs again at the due time. */
export function afterEarlyFault(run: TargetRun, fault: Fault, ctx: StepContext): TargetRun {
  const canRetryEarly = fault.kind === "temporary" || fault.kind === "rate_limited";
  const wait =
    fault.retryAfterSeconds === undefined
      ? backoffMs(run.runAttempts + 1, ctx.random)
      : clampWaitMs(fault.retryAfterSeconds, 1);
  const wakeAt = canRetryEarly ? Math.min(ctx.dueAt, ctx.now + wait) : ctx.dueAt;
  return {
    ...run,
    runAttempts: run.runAttempts + 1,
    wakeAt,
    cursor: canRetryEarly ? run.cursor : null,
    history: appendHistory(run, ctx, "prepare", fault.kind, {
      message: fault.message,
      platformCode: fault.platformCode,
      wakeAt,
    }),
  };
}

/** Fails a target without any call: its rows differ from the confirmed ones, or the platform is not configured. */
export function failWithoutCall(run: TargetRun, error: StoredTargetError, ctx: StepContext): TargetRun {
  return failTarget(run, ctx, "claim", error);
}

/** The fault of an adapter that threw in `prepare`, or of a step that exceeded its time limit. */
export function temporaryFault(message: string, httpStatus: number | null): Fault {
  return {
    kind: "temporary",
    code: "platform_unavailable",
    category: "platform",
    message,
    platformCode: null,
    httpStatus,
    whoMustAct: "platform",
  };
}

function afterFault(run: TargetRun, step: string, fault: Fault, ctx: StepContext): TargetRun {
  const faultCtx = { ...ctx, httpStatus: fault.httpStatus };
  const wait = {
    message: fault.message,
    platformCode: fault.platformCode,
    error: toTargetError(fault),
  };
  switch (fault.kind) {
    case "rejected":
    case "reconnect":
      return failTarget(run, faultCtx, step, toTargetError(fault));
    case "rate_limited": {
      const waitMs =
        fault.retryAfterSeconds === undefined
          ? Math.max(RETRY_BASE_MS, backoffMs(run.rateLimitWaits + 2, ctx.random))
          : clampWaitMs(fault.retryAfterSeconds, 1, DAY / SECOND);
      return ctx.now + waitMs > ctx.dueAt + RATE_LIMIT_DEADLINE_MS
        ? failTarget(run, faultCtx, step, { ...toTargetError(fault), code: "rate_limited", retryable: false })
        : transition(run, faultCtx, "retry_wait", step, fault.kind, {
            ...wait,
            wakeAt: ctx.now + waitMs,
            rateLimitWaits: run.rateLimitWaits + 1,
          });
    }
    case "temporary": {
      const waitMs = Math.max(
        backoffMs(run.runAttempts, ctx.random),
        fault.retryAfterSeconds === undefined ? 0 : clampWaitMs(fault.retryAfterSeconds, 0),
      );
      return run.runAttempts >= MAX_RUN_ATTEMPTS || ctx.now + waitMs > ctx.dueAt + RETRY_DEADLINE_MS
        ? failTarget(run, faultCtx, step, deadlineError(fault.message, fault))
        : transition(run, faultCtx, "retry_wait", step, fault.kind, {
            ...wait,
            wakeAt: ctx.now + waitMs,
            attemptCounted: false,
            rateLimitWaits: 0,
          });
    }
  }
}

function markPublished(run: TargetRun, step: Step, result: PublishedOutcome, ctx: StepContext): TargetRun {
  return transition(run, ctx, "published", step, "published", {
    publishedAt: result.publishedAt ?? ctx.now,
    progress: result.progress ?? run.progress,
    extras: result.extras ? toExtraResults(result.extras) : null,
    remoteId: result.remoteId.toWellFormed(),
    remoteUrl: result.url?.toWellFormed() ?? null,
    error: null,
  });
}

function continueWithNextPart(run: TargetRun, step: Step, part: MoreOutcome, ctx: StepContext): TargetRun {
  // mutant: part-sent-twice
  const publishedParts = run.publishedParts + 1;
  const changes: Partial<TargetRun> = {
    publishedParts,
    progress: part.progress,
    ...NOT_COMMITTED,
    acceptedAt: null,
    unansweredVerifies: 0,
    staleReferences: 0,
  };
  return publishedParts > MAX_PARTS
    ? failTarget({ ...run, ...changes }, ctx, step, {
        ...INTERNAL_ERROR,
        code: "internal_error",
        message: "the platform divided the post into too many parts",
      })
    : transition(run, ctx, "preparing", step, "more", {
        ...changes,
        wakeAt: ctx.now + clampWaitMs(part.afterSeconds ?? 0, 0),
        cursor: null,
        preparingSince: null,
        prepared: part.prepareFirst ? null : { ref: part.ref, expiresAt: null },
      });
}

function prepareAgain(run: TargetRun, step: Step, detail: string, ctx: StepContext): TargetRun {
  const staleReferences = run.staleReferences + 1;
  const changes: Partial<TargetRun> = {
    staleReferences,
    prepared: null,
    cursor: null,
    ...NOT_COMMITTED,
    acceptedAt: null,
    preparingSince: null,
  };
  return staleReferences > MAX_STALE_REFERENCES
    ? failTarget({ ...run, ...changes }, ctx, step, {
        code: "processing_failed",
        category: "media",
        message: "the upload expired at the platform several times",
        platformCode: null,
        retryable: true,
        whoMustAct: "platform",
      })
    : transition(run, ctx, "preparing", step, "stale", {
        ...changes,
        message: detail,
        wakeAt: staleReferences === 1 ? ctx.now : ctx.now + backoffMs(staleReferences - 1, ctx.random),
      });
}

/**
 * Marks a target without a definite outcome (T10), which the platform may have published. Only `absent` leads back to
 * sending.
 */
export function markUncertain(run: TargetRun, ctx: StepContext, step: string, detail: string): TargetRun {
  return transition(run, ctx, "verifying", step, "uncertain", {
    wakeAt: ctx.now + VERIFY_WAITS_SECONDS[0] * SECOND,
    unansweredVerifies: 0,
    acceptedAt: null,
    message: detail,
  });
}

function waitForProcessing(run: TargetRun, afterSeconds: number, ctx: StepContext): TargetRun {
  const since = run.acceptedAt ?? run.committedAt ?? ctx.now;
  return ctx.now - since > (ctx.acceptedLimitMs ?? processingLimitMs(ctx.postType))
    ? markUnconfirmed(run, ctx, "the platform accepted the post and did not report a result in time")
    : // The first answer that the platform is processing the post ends the uncertainty.
      transition(run, ctx, "verifying", "verify", run.acceptedAt === null ? "accepted" : "again", {
        wakeAt: ctx.now + clampWaitMs(afterSeconds, 1, MAX_PROCESSING_WAIT_SECONDS),
        acceptedAt: run.acceptedAt ?? ctx.now,
        unansweredVerifies: 0,
      });
}

function verifyAgain(run: TargetRun, afterSeconds: number, message: string | null, ctx: StepContext): TargetRun {
  const unansweredVerifies = run.unansweredVerifies + 1;
  const wait = VERIFY_WAITS_SECONDS[unansweredVerifies];
  return wait === undefined
    ? markUnconfirmed(
        { ...run, unansweredVerifies },
        ctx,
        message ?? "the platform did not say whether it has the post",
      )
    : transition(run, ctx, "verifying", "verify", "again", {
        wakeAt: ctx.now + Math.max(wait * SECOND, clampWaitMs(afterSeconds, 0)),
        unansweredVerifies,
        ...(message !== null && { message }),
      });
}

function markUnconfirmed(run: TargetRun, ctx: StepContext, message: string): TargetRun {
  const published = publishedWithoutExtras(run, ctx, "verify", {
    status: "unconfirmed",
    error: outcomeUnknownError(message),
  });
  if (published) {
    return published;
  }
  return transition(run, ctx, "unconfirmed", "verify", "cannot_tell", {
    message,
    error: outcomeOfThread(run.progress, outcomeUnknownError(message)),
  });
}
