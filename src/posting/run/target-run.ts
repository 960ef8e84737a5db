import { toSingleLine } from "#core/text.ts";
import { SECOND } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import type { PostType, TargetState } from "#core/status.ts";
import type { StoredAttempt, StoredTargetError } from "#db/schema.ts";
import { isTerminal, TARGET_TRANSITIONS } from "#posting/state-machine.ts";

/** The progress of one target within a run; JSON only, because it is stored in the journal. */
export interface TargetRun {
  readonly accountId: string;
  readonly state: TargetState;
  /** When its next step is due. */
  readonly wakeAt: number;
  /** Where preparation continues; null before its first step. */
  readonly cursor: { readonly value: JsonValue } | null;
  /** The result of a finished preparation: the next step is the visible call. Kept while verifying, because lookups need it. */
  readonly prepared: { readonly ref: JsonValue; readonly expiresAt: number | null } | null;
  /** Whether the current attempt is in `attempts` already; being asked to wait by a platform starts no new one. */
  readonly attemptCounted: boolean;
  /** Attempts in all runs of the target, as its owner sees them. */
  readonly attempts: number;
  /** Attempts of this run, which are limited. */
  readonly runAttempts: number;
  /** Consecutive waits at a rate limit. */
  readonly rateLimitWaits: number;
  /** Lookups without an answer since the outcome became uncertain. */
  readonly unansweredVerifies: number;
  /** Prepared references that expired before they could be used. */
  readonly staleReferences: number;
  /** Visible calls that succeeded where a target needs several. */
  readonly publishedParts: number;
  readonly preparingSince: number | null;
  /** When the visible call whose outcome is not known yet was first sent. */
  readonly committedAt: number | null;
  /** When it was last sent: `absent` counts only after the platform's listing delay from here. */
  readonly lastCommittedAt: number | null;
  /** Since when the platform is known to have accepted and to process it. */
  readonly acceptedAt: number | null;
  readonly progress: JsonValue;
  readonly startedAt: number | null;
  readonly publishedAt: number | null;
  readonly remoteId: string | null;
  readonly remoteUrl: string | null;
  readonly error: StoredTargetError | null;
  readonly history: readonly StoredAttempt[];
}

/** What a decision depends on beside the run and the outcome. */
export interface StepContext {
  readonly now: number;
  readonly dueAt: number;
  readonly postType: PostType;
  /** `Adapter.processingLimitMs` of the target's platform. */
  readonly acceptedLimitMs?: number | undefined;
  /** The HTTP status of the last response of the step. */
  readonly httpStatus: number | null;
  /** In [0, 1), for the jitter of a wait. */
  readonly random: number;
}

export const MAX_HISTORY = 50;

const MAX_WAIT_SECONDS = 15 * 60;
const MAX_MESSAGE_LENGTH = 500;

/** A target at the start of a run, from its row in D1; one that was tried before waits until its next try. */
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
    history: row.history,
  };
}

/** T7 (definite failure): ends the target with the reason that its owner reads. */
export function failTarget(run: TargetRun, ctx: StepContext, step: string, error: StoredTargetError): TargetRun {
  const message = run.progress === null ? error.message : `${error.message} (a part of it is public already)`;
  return transition(run, ctx, "failed", step, error.code, {
    message,
    platformCode: error.platformCode,
    error: { ...error, message: sanitizeMessage(message) },
  });
}

type TargetRunChange = Partial<TargetRun> & { readonly message?: string; readonly platformCode?: string | null };

/** A transition of the table, with its entry in the history. */
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

/** A transition that is not in the table is a bug, and nothing may be sent after it. */
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
  // Repeated polls are one entry, so that the 50 kept entries cover the whole course of the target.
  const isRepeatedWait = outcome === "again" && previous?.step === step && previous.outcome === outcome;
  return [...(isRepeatedWait ? run.history.slice(0, -1) : run.history), entry].slice(-MAX_HISTORY);
}

/** The wait a platform asked for, in ms and within limits. */
export function clampWaitMs(seconds: number, minSeconds: number, maxSeconds: number = MAX_WAIT_SECONDS): number {
  return Math.ceil(
    Math.min(maxSeconds, Math.max(minSeconds, Number.isFinite(seconds) ? seconds : minSeconds)) * SECOND,
  );
}

/** A message of a platform or an error, bounded and without characters that cannot be stored. */
export function sanitizeMessage(text: string): string {
  return toSingleLine(text.slice(0, MAX_MESSAGE_LENGTH));
}
