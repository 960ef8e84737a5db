import { SECOND } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import type { PostType, TargetState } from "#core/status.ts";
import type { StoredAttempt, StoredTargetError } from "#db/schema.ts";
import { isTerminal, TARGET_MOVES } from "#posting/state-machine.ts";

/** A target on its way; survives JSON and structured clone, for it lives in the journal. */
export interface TargetRun {
  readonly accountId: string;
  readonly state: TargetState;
  /** When its next step is due. */
  readonly wakeAt: number;
  /** Where preparation goes on; null at its beginning. */
  readonly cursor: { readonly value: JsonValue } | null;
  /** What preparation ended with: the next step is the visible one. Kept while verifying, which asks by it. */
  readonly ready: { readonly ref: JsonValue; readonly expiresAt: number | null } | null;
  /** Whether the try under way is in `attempts` already; a platform's "later" uses up none. */
  readonly counted: boolean;
  /** Tries over the life of the target, as its owner sees them. */
  readonly attempts: number;
  /** Tries of this run; bounds it. */
  readonly tries: number;
  /** Waits at a rate limit in a row that named no time. */
  readonly limited: number;
  /** Unanswered looks since the outcome became uncertain. */
  readonly checks: number;
  /** References that died before they could be used. */
  readonly stales: number;
  /** Visible calls that succeeded where a target needs several. */
  readonly parts: number;
  readonly preparingSince: number | null;
  /** When the visible call whose fate is open was first sent. */
  readonly committedAt: number | null;
  /** Since when the platform is known to have it and to work on it. */
  readonly acceptedAt: number | null;
  readonly progress: JsonValue;
  readonly startedAt: number | null;
  readonly publishedAt: number | null;
  readonly remoteId: string | null;
  readonly remoteUrl: string | null;
  readonly error: StoredTargetError | null;
  readonly history: readonly StoredAttempt[];
}

/** What a decision may look at beside the run and the outcome. */
export interface Moment {
  readonly now: number;
  readonly dueAt: number;
  readonly postType: PostType;
  /** The status of the last answer of the step. */
  readonly httpStatus: number | null;
  /** In [0, 1): the jitter, handed in. */
  readonly random: number;
}

export const MAX_HISTORY = 50;

const MAX_WAIT_SECONDS = 15 * 60;
const MAX_MESSAGE = 500;

/** A target at the start of a run; `row` is what D1 holds of it. */
export function beginRun(
  row: { accountId: string; attempts: number; progress: JsonValue; history: readonly StoredAttempt[] },
  now: number,
): TargetRun {
  return {
    accountId: row.accountId,
    state: "pending",
    wakeAt: now,
    cursor: null,
    ready: null,
    counted: false,
    attempts: row.attempts,
    tries: 0,
    limited: 0,
    checks: 0,
    stales: 0,
    parts: 0,
    preparingSince: null,
    committedAt: null,
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

/** T7: the end, with the reason its owner reads. */
export function fail(run: TargetRun, at: Moment, step: string, error: StoredTargetError): TargetRun {
  const message = run.progress === null ? error.message : `${error.message} (a part of it is public already)`;
  return move(run, at, "failed", step, error.code, {
    message,
    platformCode: error.platformCode,
    error: { ...error, message: clean(message) },
  });
}

type Change = Partial<TargetRun> & { readonly message?: string; readonly platformCode?: string | null };

/** A legal move with its line in the history. */
export function move(
  run: TargetRun,
  at: Moment,
  to: TargetState,
  step: string,
  outcome: string,
  change: Change,
): TargetRun {
  const { message, platformCode, ...fields } = change;
  const wakeAt = isTerminal(to) ? null : (fields.wakeAt ?? run.wakeAt);
  return {
    ...legally(run, to),
    ...fields,
    history: noted(run, at, step, outcome, { message: message ?? null, platformCode: platformCode ?? null, wakeAt }),
  };
}

/** A move the table does not know is a fault of ours, and nothing may be sent after one. */
export function legally(run: TargetRun, to: TargetState): TargetRun {
  if (!TARGET_MOVES[run.state].includes(to)) {
    throw new Error(`a target cannot go from ${run.state} to ${to}`);
  }
  return { ...run, state: to };
}

export function noted(
  run: TargetRun,
  at: Moment,
  step: string,
  outcome: string,
  line: { message: string | null; platformCode: string | null; wakeAt: number | null },
): readonly StoredAttempt[] {
  const last = run.history.at(-1);
  const entry: StoredAttempt = {
    at: at.now,
    step,
    outcome,
    httpStatus: at.httpStatus,
    platformCode: line.platformCode,
    message: line.message === null ? null : clean(line.message),
    nextAttemptAt: line.wakeAt !== null && line.wakeAt > at.now ? line.wakeAt : null,
  };
  // Waiting is one line however often it was asked: fifty lines must tell a life.
  const repeats = outcome === "again" && last?.step === step && last.outcome === outcome;
  return [...(repeats ? run.history.slice(0, -1) : run.history), entry].slice(-MAX_HISTORY);
}

/** A platform's wait in ms: whatever it said, within reason. */
export function seconds(value: number, least: number, most: number = MAX_WAIT_SECONDS): number {
  return Math.ceil(Math.min(most, Math.max(least, Number.isFinite(value) ? value : least)) * SECOND);
}

const CONTROL = /\p{Cc}+/gu;

/** Words of a platform or an error, fit to store. */
export function clean(text: string): string {
  return text.slice(0, MAX_MESSAGE).toWellFormed().replace(CONTROL, " ");
}
