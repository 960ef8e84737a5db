import { SECOND } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import type { PostType, TargetState } from "#core/status.ts";
import type { StoredAttempt, StoredExtra, StoredExtras, StoredTargetError } from "#db/schema.ts";
import { extrasState } from "#platforms/extras.ts";
import { isTerminal, TARGET_TRANSITIONS } from "#posts/rows/state-machine.ts";
import { sanitizeMessage } from "./sanitize-message.ts";
import { toExtraResults } from "./extra-results.ts";
import { deadlineError } from "./target-errors.ts";
import { outcomeOfThread } from "./thread-error.ts";

/** The progress of one target within a run. It is plain JSON, because the journal stores it. */
export interface TargetRun {
  readonly accountId: string;
  readonly state: TargetState;
  /** When (ms) the next step of the target is due. */
  readonly wakeAt: number;
  /** Where preparation continues. Null before its first step. */
  readonly cursor: { readonly value: JsonValue } | null;
  /** The result of preparation, after which the visible call is next. Kept while verifying, because lookups need it. */
  readonly prepared: { readonly ref: JsonValue; readonly expiresAt: number | null } | null;
  /** Whether `attempts` includes the present attempt. A wait because of a rate limit starts no new one. */
  readonly attemptCounted: boolean;
  /** The attempts in all runs of the target, as its owner sees them. */
  readonly attempts: number;
  /** The attempts of this run, of which `MAX_RUN_ATTEMPTS` are allowed. */
  readonly runAttempts: number;
  /** How many times in a row the target has waited because of a rate limit. */
  readonly rateLimitWaits: number;
  /** How many lookups got no answer since the outcome became uncertain. */
  readonly unansweredVerifies: number;
  /** How many prepared references expired before they could be used. */
  readonly staleReferences: number;
  /** How many visible calls have succeeded, for a target that needs several. */
  readonly publishedParts: number;
  readonly preparingSince: number | null;
  /** When (ms) the visible call with an unknown outcome was first sent. */
  readonly committedAt: number | null;
  /** When (ms) the post was last sent. `absent` counts only after the platform's listing delay from this time. */
  readonly lastCommittedAt: number | null;
  /** When (ms) the platform said that it has accepted the call and is processing it. */
  readonly acceptedAt: number | null;
  readonly progress: JsonValue;
  readonly startedAt: number | null;
  readonly publishedAt: number | null;
  readonly remoteId: string | null;
  readonly remoteUrl: string | null;
  readonly error: StoredTargetError | null;
  /** The results of the extras: first comment, cover and playlists. */
  readonly extras: StoredExtras | null;
  readonly history: readonly StoredAttempt[];
}

/** The facts on which a decision about a target's next step depends, besides its run and the outcome. */
export interface StepContext {
  readonly now: number;
  readonly dueAt: number;
  readonly postType: PostType;
  /** How long (ms) the target's platform may process an accepted post (`Adapter.processingLimitMs`). */
  readonly acceptedLimitMs?: number | undefined;
  /** The HTTP status of the last response in the step. */
  readonly httpStatus: number | null;
  /** A random number in [0, 1), for the jitter of a wait. */
  readonly random: number;
}

export const MAX_HISTORY = 100;

const MAX_WAIT_SECONDS = 15 * 60;

/** Builds the run of a target from its row in D1. After an earlier try it waits for the next one. */
export function createTargetRun(
  row: {
    accountId: string;
    attempts: number;
    nextAttemptAt: number | null;
    progress: JsonValue;
    history: readonly StoredAttempt[];
  },
  now: number,
): TargetRun {
  return {
    accountId: row.accountId,
    state: row.nextAttemptAt === null ? "pending" : "retry_wait",
    wakeAt: Math.max(now, row.nextAttemptAt ?? 0),
    cursor: null,
    prepared: null,
    attemptCounted: false,
    attempts: row.attempts,
    runAttempts: 0,
    rateLimitWaits: 0,
    unansweredVerifies: 0,
    staleReferences: 0,
    publishedParts: 0,
    preparingSince: null,
    committedAt: null,
    lastCommittedAt: null,
    acceptedAt: null,
    progress: row.progress,
    startedAt: null,
    publishedAt: null,
    remoteId: null,
    remoteUrl: null,
    error: null,
    extras: null,
    history: row.history,
  };
}

/** A target as D1 has it, for comparing what its owner can see. */
export function storedTargetRun(
  target: Parameters<typeof createTargetRun>[0] & Pick<TargetRun, "state" | "remoteId">,
): TargetRun {
  return { ...createTargetRun(target, target.nextAttemptAt ?? 0), state: target.state, remoteId: target.remoteId };
}

/** What an owner can see of a target. D1 is written only if this changes. */
export function visibleStateKey(run: TargetRun): string {
  const accepted = run.state === "verifying" && run.acceptedAt !== null;
  // The wake times of an accepted post are not recorded, because it is polled every few seconds. An uncertain post is
  // checked only six times.
  const waits = run.state === "retry_wait" || (run.state === "verifying" && !accepted);
  const working = accepted || run.state === "preparing" || run.state === "processing" || run.state === "committing";
  return JSON.stringify([
    working ? "processing" : run.state,
    run.attempts,
    waits ? run.wakeAt : null,
    run.progress,
    run.remoteId,
  ]);
}

/** Ends a target after a definite failure (T7). Its owner reads the reason. */
export function failTarget(run: TargetRun, ctx: StepContext, step: string, error: StoredTargetError): TargetRun {
  const published = publishedWithoutExtras(run, ctx, step, { status: "failed", error });
  if (published) {
    return published;
  }
  const stopped = outcomeOfThread(run.progress, error);
  const message =
    run.progress === null || stopped !== error ? stopped.message : `${error.message} (a part of it is public already)`;
  return transition(run, ctx, "failed", step, stopped.code, {
    message,
    platformCode: error.platformCode,
    error: { ...stopped, message: sanitizeMessage(message) },
  });
}

/**
 * Ends a target as published if its post is public, even if its extras fail. Undefined if the post is not known to be
 * public.
 */
export function publishedWithoutExtras(
  run: TargetRun,
  ctx: StepContext,
  step: string,
  outcome: Pick<StoredExtra, "status" | "error">,
): TargetRun | undefined {
  const state = extrasState(run.progress);
  const ended = { ...outcome, id: null, url: null };
  // Extras after the first open one were never sent.
  const notTried: StoredExtra =
    outcome.status === "failed" ? ended : { ...ended, status: "failed", error: deadlineError(NOT_TRIED, null) };
  return (
    state &&
    transition(run, ctx, "published", step, "published", {
      publishedAt: state.post.at,
      extras: {
        ...toExtraResults(state.results),
        ...Object.fromEntries(state.open.map((name, index) => [name, index === 0 ? ended : notTried])),
      },
      remoteId: state.post.id.toWellFormed(),
      remoteUrl: state.post.url?.toWellFormed() ?? null,
      error: null,
      message: outcome.error?.message ?? null,
      platformCode: outcome.error?.platformCode ?? null,
    })
  );
}

const NOT_TRIED = "what comes before it had no known outcome";

type TargetRunChange = Partial<TargetRun> & { readonly message?: string | null; readonly platformCode?: string | null };

/** Makes a transition of the state machine and adds its history entry. */
export function transition(
  run: TargetRun,
  ctx: StepContext,
  to: TargetState,
  step: string,
  outcome: string,
  change: TargetRunChange,
): TargetRun {
  const { message, platformCode, ...fields } = change;
  const wakeAt = isTerminal(to) ? null : (fields.wakeAt ?? run.wakeAt);
  return {
    ...withState(run, to),
    ...fields,
    history: appendHistory(run, ctx, step, outcome, {
      message: message ?? null,
      platformCode: platformCode ?? null,
      wakeAt,
    }),
  };
}

/**
 * Sets the state. Throws on a transition that the state machine lacks: it is a bug, and nothing may be sent after it.
 */
export function withState(run: TargetRun, to: TargetState): TargetRun {
  if (!TARGET_TRANSITIONS[run.state].includes(to)) {
    throw new Error(`a target cannot go from ${run.state} to ${to}`);
  }
  return { ...run, state: to };
}

export function appendHistory(
  run: TargetRun,
  ctx: StepContext,
  step: string,
  outcome: string,
  details: { message: string | null; platformCode: string | null; wakeAt: number | null },
): readonly StoredAttempt[] {
  const previous = run.history.at(-1);
  const entry: StoredAttempt = {
    at: ctx.now,
    step,
    outcome,
    httpStatus: ctx.httpStatus,
    platformCode: details.platformCode,
    message: details.message === null ? null : sanitizeMessage(details.message),
    nextAttemptAt: details.wakeAt !== null && details.wakeAt > ctx.now ? details.wakeAt : null,
  };
  // Repeated polls share one entry, so that the history covers the whole life of the target.
  const isRepeatedWait = outcome === "again" && previous?.step === step && previous.outcome === outcome;
  return [...(isRepeatedWait ? run.history.slice(0, -1) : run.history), entry].slice(-MAX_HISTORY);
}

/** The wait (ms) that a platform asks for, within limits. */
export function clampWaitMs(seconds: number, minSeconds: number, maxSeconds: number = MAX_WAIT_SECONDS): number {
  return Math.ceil(
    Math.min(maxSeconds, Math.max(minSeconds, Number.isFinite(seconds) ? seconds : minSeconds)) * SECOND,
  );
}
