import { DAY, HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { canonicalJson, type JsonValue } from "#core/json.ts";
import type { PostType } from "#core/status.ts";
import type { StoredTargetError } from "#db/schema.ts";
import type { CommitOutcome, Fault, PrepareOutcome, VerifyOutcome } from "#platforms/contract.ts";
import { clean, fail, legally, type Moment, move, noted, seconds, type TargetRun } from "./target-run.ts";

/*
 * What happens next to a target, decided without touching anything: a run and an outcome in, the run after it out.
 * The letters at the branches are the rows of the target table in docs/how-it-works.md.
 */

export const MAX_TRIES = 8;
const RETRY_BASE_MS = 30 * SECOND;
const RETRY_MAX_MS = 15 * MINUTE;
const RETRY_DEADLINE_MS = 2 * HOUR;
const RATE_LIMIT_DEADLINE_MS = DAY;
/** Waits between looks; when all are used up the outcome stays unconfirmed. */
export const VERIFY_WAITS_SECONDS = [1, 2, 5, 10, 30, 60] as const;
export const MAX_STALES = 3;
const MAX_PARTS = 100;

/** How long a platform may work on media before the target is given up. */
function processingLimitMs(postType: PostType): number {
  return postType === "video" ? 2 * HOUR : 30 * MINUTE;
}

/** Full jitter over a doubling base: posts that failed together do not come back together. */
export function backoffMs(tries: number, random: number): number {
  return Math.ceil(random * Math.min(RETRY_MAX_MS, RETRY_BASE_MS * 2 ** Math.max(0, tries - 1)));
}

export type Step = "prepare" | "commit" | "verify";

export function stepOf(run: TargetRun): Step {
  if (run.state === "verifying") {
    return "verify";
  }
  return run.ready ? "commit" : "prepare";
}

/** P9: the journal of the run that sent it, or did not, is gone; it looks from its due time on before it ever sends. */
export function doubtRun(run: TargetRun, at: Moment): TargetRun {
  return move(run, at, "verifying", "recover", "uncertain", {
    wakeAt: at.now,
    checks: 0,
    committedAt: Math.min(at.dueAt, at.now),
    message: "the record of the last run was lost",
  });
}

/** A step begins: counts the try it belongs to. */
export function startStep(run: TargetRun, now: number): TargetRun {
  const started = run.ready || run.preparingSince !== null ? run : { ...run, preparingSince: now };
  return run.counted ? started : { ...started, counted: true, attempts: run.attempts + 1, tries: run.tries + 1 };
}

/** T1, T5: the intent to send; it must be on disk before the call leaves. */
export function intendCommit(run: TargetRun, now: number): TargetRun {
  return {
    ...legally(run, "committing"),
    committedAt: run.committedAt ?? now,
    // Lateness is measured to the first call that made something visible, so a call that did not is overwritten.
    startedAt: run.parts > 0 ? run.startedAt : now,
    acceptedAt: null,
  };
}

/** T11: an intent found on disk at the start of a run means that the process died around the call. */
export function recover(run: TargetRun, at: Moment): TargetRun {
  return run.state === "committing"
    ? doubt(run, at, "recover", "the publisher stopped in the middle of the call")
    : run;
}

export function afterPrepare(run: TargetRun, outcome: PrepareOutcome, at: Moment): TargetRun {
  switch (outcome.state) {
    case "ready":
      return move(run, at, "preparing", "prepare", "ready", {
        wakeAt: at.now,
        cursor: null,
        ready: { ref: outcome.ref, expiresAt: outcome.expiresAt ?? null },
      });
    case "again": {
      if (at.now - (run.preparingSince ?? at.now) > processingLimitMs(at.postType)) {
        return fail(run, at, "prepare", deadline("the platform did not finish processing in time", null));
      }
      // A cursor that stands still must not spin.
      const stuck = run.cursor !== null && canonicalJson(run.cursor.value) === canonicalJson(outcome.cursor);
      const wait = seconds(outcome.afterSeconds, stuck ? 1 : 0);
      return move(run, at, wait > 0 ? "processing" : "preparing", "prepare", "again", {
        wakeAt: at.now + wait,
        cursor: { value: outcome.cursor },
      });
    }
    case "refused":
      return afterFault(run, "prepare", outcome.fault, at);
  }
}

export function afterCommit(run: TargetRun, outcome: CommitOutcome, at: Moment): TargetRun {
  switch (outcome.state) {
    case "published":
      return publish(run, "commit", outcome, at);
    case "accepted":
      return move(run, at, "verifying", "commit", "accepted", {
        wakeAt: at.now + seconds(outcome.afterSeconds, 0.25),
        checks: 0,
        acceptedAt: at.now,
        ready: { ref: outcome.ref, expiresAt: null },
      });
    case "more":
      return proceed(run, "commit", outcome, at);
    case "stale":
      return prepareAgain(run, "commit", outcome.detail, at);
    case "refused":
      // What only might have happened is never "temporary": an adapter that says so is not believed.
      return outcome.fault.kind === "temporary"
        ? doubt(run, at, "commit", outcome.fault.message)
        : afterFault({ ...run, committedAt: null }, "commit", outcome.fault, at);
    case "uncertain":
      return doubt(
        outcome.ref === undefined ? run : { ...run, ready: { ref: outcome.ref, expiresAt: null } },
        { ...at, httpStatus: outcome.httpStatus },
        "commit",
        outcome.detail,
      );
  }
}

export function afterVerify(run: TargetRun, outcome: VerifyOutcome, at: Moment): TargetRun {
  switch (outcome.state) {
    case "published":
      return publish(run, "verify", outcome, at);
    case "more":
      return proceed(run, "verify", outcome, at);
    case "again":
      return outcome.known
        ? keepWaiting(run, outcome.afterSeconds, at)
        : lookAgain(run, outcome.afterSeconds, null, at);
    case "absent": {
      // T13: the only way from uncertain back to sending; the first time at once, then with growing waits.
      const wait = run.tries > 1 ? backoffMs(run.tries - 1, at.random) : 0;
      if (run.tries >= MAX_TRIES || at.now + wait > at.dueAt + RETRY_DEADLINE_MS) {
        return fail(run, at, "verify", deadline("the platform kept losing the post", null));
      }
      return move(run, at, "retry_wait", "verify", "absent", {
        wakeAt: at.now + wait,
        counted: false,
        checks: 0,
        acceptedAt: null,
      });
    }
    case "stale":
      return prepareAgain(run, "verify", outcome.detail, at);
    case "refused":
      return afterVerifyFault(run, outcome.fault, at);
    case "cannot_tell":
      return unconfirm(run, at, outcome.detail);
  }
}

/** A look that was refused publishes nothing and proves nothing, except when the platform says that the post itself failed. */
function afterVerifyFault(run: TargetRun, fault: Fault, at: Moment): TargetRun {
  switch (fault.kind) {
    case "rejected":
      return fail(run, at, "verify", errorOf(fault));
    case "reconnect":
      return unconfirm(run, at, fault.message);
    case "rate_limited":
    case "temporary":
      return lookAgain(run, fault.retryAfterSeconds ?? 0, fault.message, at);
  }
}

/** The platform refused a token that has been replaced since, or can be: the same step once more, with the new one. */
export function afterOldToken(run: TargetRun, fault: Fault, at: Moment): TargetRun {
  const step = stepOf(run);
  if (step === "verify") {
    return lookAgain(run, 1, fault.message, at);
  }
  const sent = run.state === "committing" ? { ...run, committedAt: null } : run;
  return afterFault(sent, step, { ...fault, kind: "temporary", retryAfterSeconds: 1 }, at);
}

/** The account could not be opened: before anything was sent this ends or delays the target, after it leaves doubt. */
export function afterNoAccess(run: TargetRun, fault: Fault, at: Moment): TargetRun {
  if (run.state === "verifying") {
    return fault.kind === "reconnect" || fault.kind === "rejected"
      ? unconfirm(run, at, fault.message)
      : lookAgain(run, fault.retryAfterSeconds ?? 0, fault.message, at);
  }
  if (fault.kind === "temporary") {
    const wait =
      fault.retryAfterSeconds === undefined ? backoffMs(1, at.random) : seconds(fault.retryAfterSeconds, 0.25);
    return at.now + wait > at.dueAt + RETRY_DEADLINE_MS
      ? fail(run, at, "access", deadline(fault.message, fault))
      : move(run, at, "retry_wait", "access", fault.kind, { wakeAt: at.now + wait, message: fault.message });
  }
  return afterFault(run, "access", fault, at);
}

/** An early step that was refused changes nothing for the owner: the due time tries again from what is still good. */
export function afterEarlyFault(run: TargetRun, fault: Fault, at: Moment): TargetRun {
  const later = fault.kind === "temporary" || fault.kind === "rate_limited";
  const wait =
    fault.retryAfterSeconds === undefined ? backoffMs(run.tries + 1, at.random) : seconds(fault.retryAfterSeconds, 1);
  const wakeAt = later ? Math.min(at.dueAt, at.now + wait) : at.dueAt;
  return {
    ...run,
    tries: run.tries + 1,
    wakeAt,
    cursor: later ? run.cursor : null,
    history: noted(run, at, "prepare", fault.kind, {
      message: fault.message,
      platformCode: fault.platformCode,
      wakeAt,
    }),
  };
}

/** What early preparation leaves to the fresh run: its references and its history, not its counts. */
export function adoptEarly(run: TargetRun, { attempts, progress }: TargetRun, now: number): TargetRun {
  const begun = run.ready !== null || run.cursor !== null;
  return {
    ...run,
    attempts,
    progress,
    state: begun ? run.state : "pending",
    wakeAt: begun ? Math.max(run.wakeAt, now) : now,
    counted: false,
    tries: 0,
    preparingSince: null,
  };
}

/** Ends a target without a call: a plan that does not match, a platform that is not there. */
export function giveUp(run: TargetRun, error: StoredTargetError, at: Moment): TargetRun {
  return fail(run, at, "claim", error);
}

/** An adapter that threw out of `prepare`, or a step that took longer than it may. */
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

function afterFault(run: TargetRun, step: string, fault: Fault, at: Moment): TargetRun {
  const seen = { ...at, httpStatus: fault.httpStatus };
  const wait = {
    message: fault.message,
    platformCode: fault.platformCode,
    error: errorOf(fault),
  };
  switch (fault.kind) {
    case "rejected":
    case "reconnect":
      return fail(run, seen, step, errorOf(fault));
    case "rate_limited": {
      const waitMs =
        fault.retryAfterSeconds === undefined
          ? Math.max(RETRY_BASE_MS, backoffMs(run.limited + 2, at.random))
          : seconds(fault.retryAfterSeconds, 1, DAY / SECOND);
      return at.now + waitMs > at.dueAt + RATE_LIMIT_DEADLINE_MS
        ? fail(run, seen, step, { ...errorOf(fault), code: "rate_limited", retryable: false })
        : move(run, seen, "retry_wait", step, fault.kind, {
            ...wait,
            wakeAt: at.now + waitMs,
            limited: run.limited + 1,
          });
    }
    case "temporary": {
      const waitMs = Math.max(
        backoffMs(run.tries, at.random),
        fault.retryAfterSeconds === undefined ? 0 : seconds(fault.retryAfterSeconds, 0),
      );
      return run.tries >= MAX_TRIES || at.now + waitMs > at.dueAt + RETRY_DEADLINE_MS
        ? fail(run, seen, step, deadline(fault.message, fault))
        : move(run, seen, "retry_wait", step, fault.kind, {
            ...wait,
            wakeAt: at.now + waitMs,
            counted: false,
            limited: 0,
          });
    }
  }
}

function publish(run: TargetRun, step: Step, end: { remoteId: string; url: string | null }, at: Moment): TargetRun {
  return move(run, at, "published", step, "published", {
    publishedAt: at.now,
    remoteId: end.remoteId.toWellFormed(),
    remoteUrl: end.url?.toWellFormed() ?? null,
    error: null,
  });
}

function proceed(run: TargetRun, step: Step, more: { ref: JsonValue; progress: JsonValue }, at: Moment): TargetRun {
  const parts = run.parts + 1;
  const next = { parts, progress: more.progress, committedAt: null, acceptedAt: null, checks: 0, stales: 0 };
  return parts > MAX_PARTS
    ? fail({ ...run, ...next }, at, step, {
        ...OURS,
        code: "internal_error",
        message: "the post fell into too many parts",
      })
    : move(run, at, "preparing", step, "more", { ...next, wakeAt: at.now, ready: { ref: more.ref, expiresAt: null } });
}

function prepareAgain(run: TargetRun, step: Step, detail: string, at: Moment): TargetRun {
  const stales = run.stales + 1;
  const reset = { stales, ready: null, cursor: null, committedAt: null, acceptedAt: null, preparingSince: null };
  return stales > MAX_STALES
    ? fail({ ...run, ...reset }, at, step, {
        code: "processing_failed",
        category: "media",
        message: "the upload expired at the platform again and again",
        platformCode: null,
        retryable: true,
        whoMustAct: "platform",
      })
    : move(run, at, "preparing", step, "stale", {
        ...reset,
        message: detail,
        wakeAt: stales === 1 ? at.now : at.now + backoffMs(stales - 1, at.random),
      });
}

/** T10: it may be there. From here only `absent` leads back to sending. */
function doubt(run: TargetRun, at: Moment, step: string, detail: string): TargetRun {
  return move(run, at, "verifying", step, "uncertain", {
    wakeAt: at.now + VERIFY_WAITS_SECONDS[0] * SECOND,
    checks: 0,
    acceptedAt: null,
    message: detail,
  });
}

function keepWaiting(run: TargetRun, afterSeconds: number, at: Moment): TargetRun {
  const since = run.acceptedAt ?? run.committedAt ?? at.now;
  return at.now - since > processingLimitMs(at.postType)
    ? unconfirm(run, at, "the platform took the post and did not say in time what became of it")
    : move(run, at, "verifying", "verify", "again", {
        wakeAt: at.now + seconds(afterSeconds, 1),
        acceptedAt: run.acceptedAt ?? at.now,
        checks: 0,
      });
}

function lookAgain(run: TargetRun, afterSeconds: number, message: string | null, at: Moment): TargetRun {
  const checks = run.checks + 1;
  const wait = VERIFY_WAITS_SECONDS[checks];
  return wait === undefined
    ? unconfirm({ ...run, checks }, at, message ?? "the platform did not say whether it has the post")
    : move(run, at, "verifying", "verify", "again", {
        wakeAt: at.now + Math.max(wait * SECOND, seconds(afterSeconds, 0)),
        checks,
        ...(message !== null && { message }),
      });
}

function unconfirm(run: TargetRun, at: Moment, message: string): TargetRun {
  return move(run, at, "unconfirmed", "verify", "cannot_tell", {
    message,
    error: {
      code: "outcome_unknown",
      category: "platform",
      message: `The platform may have published this post, and it cannot be found out: ${clean(message)}. Look at the account before posting again.`,
      platformCode: null,
      retryable: false,
      whoMustAct: "user",
    },
  });
}

const OURS = { category: "internal", platformCode: null, retryable: true, whoMustAct: "operator" } as const;

function deadline(message: string, fault: Fault | null): StoredTargetError {
  return {
    code: "deadline",
    category: fault?.category ?? "platform",
    message: clean(`given up in the end: ${message}`),
    platformCode: fault?.platformCode ?? null,
    retryable: true,
    whoMustAct: fault?.whoMustAct ?? "platform",
  };
}

function errorOf(fault: Fault): StoredTargetError {
  return {
    code: fault.code,
    category: fault.category,
    message: clean(fault.message),
    platformCode: fault.platformCode,
    retryable: fault.kind === "temporary" || fault.kind === "rate_limited",
    whoMustAct: fault.whoMustAct,
  };
}
