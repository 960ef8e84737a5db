import { z } from "@hono/zod-openapi";
import { MINUTE, SECOND } from "#core/clock.ts";
import { isJsonObject, type JsonValue } from "#core/json.ts";
import { EXTRA_NAMES, EXTRA_STATUSES, type ExtraName } from "#core/status.ts";
import type {
  Adapter,
  CommitOutcome,
  ExtraResult,
  Fault,
  Job,
  PlatformClient,
  PublishedOutcome,
  Result,
  VerifyOutcome,
} from "./contract.ts";
import { rejected, temporary } from "./fault.ts";
import { verifyAgainIn } from "./verify-again.ts";

/* Extras: first comments, covers and playlists. The service adds them after the post is public, each with its own
   visible call. A target whose post is public can only become published, so a failed extra never makes the target
   fail. */

/** The wait (s) before each try of an extra's call after the first try. */
const WAITS_SECONDS = [5, 30, 120, 600] as const;
/** The publisher gives up an extra that would have to wait longer than this (s). */
const MAX_WAIT_SECONDS = 15 * 60;
/** How soon (ms) a new extra is looked for. Platforms list new extras within seconds. */
const FIRST_LOOK_MS = 15 * SECOND;
/** The time (ms) between two complete lists that must both lack an extra before its call is repeated. */
const MISSING_FOR_MS = MINUTE;

const ResultSchema = z.object({
  status: z.enum(EXTRA_STATUSES),
  id: z.string().nullable(),
  url: z.string().nullable(),
  // The fault needs no check, because only this file writes it.
  fault: z.custom<Fault>(isJsonObject).nullable(),
});

/** The part of `Job.progress` that describes extras, once the post is public. */
const ExtrasProgress = z.object({
  extras: z.object({
    post: z.object({ id: z.string(), url: z.string().nullable(), at: z.number() }),
    /** The extras that are not done, in order. */
    open: z.array(z.enum(EXTRA_NAMES)),
    /** The index of the first open extra's next call, and how often this call was tried. */
    index: z.int(),
    tries: z.number(),
    /** Whether to look for each extra before it is sent. If the journal was lost, unknown calls may have been sent. */
    looksFirst: z.boolean(),
    results: z.partialRecord(z.enum(EXTRA_NAMES), ResultSchema),
  }),
});
type ExtrasState = z.infer<typeof ExtrasProgress>["extras"];

/** The post that gets the extras, with the platform's names for it. */
export type PublicPost = ExtrasState["post"];

/** The state of the extras. Undefined until the post is known to be public. */
export function extrasState(progress: JsonValue): ExtrasState | undefined {
  return ExtrasProgress.safeParse(progress).data?.extras;
}

/** A new extra, with the platform's names for it. */
export type AddedExtra = Pick<ExtraResult, "id" | "url">;

/** A kind of extra, with the calls that add it. */
export interface Extra {
  readonly name: ExtraName;
  /** How many calls the target needs; 0 if it has no such extra. Pure. */
  count(job: Job): number;
  /** Makes one visible call. Null, a throw and a temporary fault all mean that the outcome is unknown. */
  send(client: PlatformClient, job: Job, post: PublicPost, index: number): Promise<Result<AddedExtra> | null>;
  /**
   * Finds out whether the platform has the extra. Null means that a complete list lacks it. A definite refusal means
   * that nothing can show it. Absent if the call replaces what is there, so that it can be repeated after any outcome.
   */
  readonly look?: (
    client: PlatformClient,
    job: Job,
    post: PublicPost,
    index: number,
  ) => Promise<Result<AddedExtra | null>>;
}

/** The reference in the journal while an extra is open. A `verify` without it means that the journal was lost. */
const ExtrasRef = z.object({ extras: z.literal(true), missingSince: z.number().nullable() });
const REF = { extras: true, missingSince: null } as const satisfies z.infer<typeof ExtrasRef>;

type Calls = Pick<Adapter, "commit" | "verify">;

/** Wraps the calls of an adapter, so that the calls for the target's extras follow the post. */
export function withExtras(calls: Calls, extras: readonly Extra[]): Calls {
  const begin = <Outcome extends CommitOutcome | VerifyOutcome>(job: Job, outcome: Outcome, looksFirst: boolean) => {
    const open = extras.filter((extra) => extra.count(job) > 0).map(({ name }) => name);
    if (outcome.state !== "published" || open.length === 0) {
      return outcome;
    }
    const { remoteId: id, url, publishedAt: at = job.now } = outcome;
    return goOn({ post: { id, url, at }, open, index: 0, tries: 0, looksFirst, results: {} }, 0);
  };
  return {
    commit: async (client, job, ref) => {
      const state = extrasState(job.progress);
      return state
        ? await sendNext(client, job, state, extras)
        : begin(job, await calls.commit(client, job, ref), false);
    },
    verify: async (client, job, ref) => {
      const state = extrasState(job.progress);
      return state
        ? await lookForNext(client, job, ref === null ? { ...state, looksFirst: true } : state, ref, extras)
        : begin(job, await calls.verify(client, job, ref), ref === null);
    },
  };
}

function nextExtra({ open }: ExtrasState, extras: readonly Extra[]): Extra | undefined {
  return extras.find(({ name }) => name === open[0]);
}

async function sendNext(
  client: PlatformClient,
  job: Job,
  state: ExtrasState,
  extras: readonly Extra[],
): Promise<CommitOutcome> {
  const extra = nextExtra(state, extras);
  if (!extra) {
    return publishedWith(state);
  }
  // mutant: comment-after-lost-journal
  if (extra.look && state.looksFirst && state.tries === 0) {
    return uncertain("the journal of the previous run was lost", null);
  }
  const sent = await extra.send(client, job, state.post, state.index).catch(() => null);
  if (sent?.ok) {
    return finish(job, state, extra, { status: "published", ...sent.value, fault: null });
  }
  const fault = sent?.fault ?? NO_ANSWER;
  switch (fault.kind) {
    case "rejected":
      return finish(job, state, extra, failed(fault));
    case "rate_limited":
      return tryAgain(job, state, extra, fault, "failed");
    case "temporary":
      return extra.look
        ? uncertain(fault.message, fault.httpStatus)
        : tryAgain(job, state, extra, fault, sent ? "failed" : "unconfirmed");
    case "reconnect":
      // If the token has expired, let the publisher decide, because it knows whether a new token is possible. A missing
      // scope of the extra alone says nothing about the login.
      return fault.code === "auth_expired"
        ? { state: "refused", fault }
        : finish(job, state, extra, failed({ ...fault, kind: "rejected" }));
  }
}

function uncertain(detail: string, httpStatus: number | null): CommitOutcome {
  return { state: "uncertain", detail, httpStatus, ref: REF };
}

/**
 * Finds out the outcome of a call without an answer. The call is repeated only if two complete lists, read a minute
 * apart, lack the extra.
 */
async function lookForNext(
  client: PlatformClient,
  job: Job,
  state: ExtrasState,
  lastRef: JsonValue,
  extras: readonly Extra[],
): Promise<VerifyOutcome> {
  const extra = nextExtra(state, extras);
  if (!extra) {
    return publishedWith(state);
  }
  // mutant: comment-no-look
  if (!extra.look) {
    return tryAgain(job, state, extra, NO_ANSWER, "unconfirmed");
  }
  const sentAt = job.lastCommittedAt ?? job.now;
  if (job.now - sentAt < FIRST_LOOK_MS) {
    return verifyAgainIn(FIRST_LOOK_MS - (job.now - sentAt));
  }
  const looked = await extra.look(client, job, state.post, state.index);
  if (!looked.ok) {
    return afterRefusedLook(job, state, extra, looked.fault);
  }
  if (looked.value) {
    return finish(job, state, extra, { status: "published", ...looked.value, fault: null });
  }
  const missingSince = ExtrasRef.safeParse(lastRef).data?.missingSince ?? null;
  // mutant: comment-absent-too-soon
  if (missingSince === null || missingSince < sentAt) {
    const ref = { ...REF, missingSince: job.now };
    return { state: "again", afterSeconds: MISSING_FOR_MS / SECOND, isProcessing: false, ref };
  }
  return job.now - missingSince < MISSING_FOR_MS
    ? verifyAgainIn(MISSING_FOR_MS - (job.now - missingSince))
    : tryAgain(job, state, extra, NO_ANSWER, "failed");
}

function afterRefusedLook(job: Job, state: ExtrasState, extra: Extra, fault: Fault): VerifyOutcome {
  switch (fault.kind) {
    case "reconnect":
      return fault.code === "auth_expired"
        ? { state: "refused", fault }
        : finish(job, state, extra, { ...failed(unknownOutcome(fault)), status: "unconfirmed" });
    case "rejected":
      return finish(job, state, extra, { ...failed(unknownOutcome(fault)), status: "unconfirmed" });
    case "rate_limited":
    case "temporary":
      return { state: "again", afterSeconds: fault.retryAfterSeconds ?? 0, isProcessing: false };
  }
}

/** Waits for the next try. If there is none left, the extra keeps the status of this try. */
function tryAgain(job: Job, state: ExtrasState, extra: Extra, fault: Fault, status: "failed" | "unconfirmed") {
  // mutant: extra-without-end
  const wait = WAITS_SECONDS[state.tries];
  const afterSeconds = Math.max(wait ?? 0, fault.retryAfterSeconds ?? 0);
  return wait === undefined || afterSeconds > MAX_WAIT_SECONDS
    ? finish(job, state, extra, { ...failed(status === "failed" ? fault : unknownOutcome(fault)), status })
    : goOn({ ...state, tries: state.tries + 1 }, afterSeconds);
}

/** Finishes an extra. If it takes several calls, the result shows the first call that failed. */
function finish(job: Job, state: ExtrasState, extra: Extra, result: ExtraResult) {
  const { name } = extra;
  const earlier = state.results[name];
  const told = earlier && earlier.status !== "published" ? earlier : result;
  const next = { ...state, tries: 0, results: { ...state.results, [name]: told } };
  if (state.index + 1 < extra.count(job)) {
    return goOn({ ...next, index: state.index + 1 }, 0);
  }
  const open = state.open.slice(1);
  return open.length === 0 ? publishedWith({ ...next, open }) : goOn({ ...next, open, index: 0 }, 0);
}

function goOn(state: ExtrasState, afterSeconds: number) {
  return { state: "more", ref: REF, progress: toProgress(state), afterSeconds } as const;
}

function publishedWith(state: ExtrasState): PublishedOutcome {
  const { id, url, at } = state.post;
  return { state: "published", remoteId: id, url, publishedAt: at, progress: toProgress(state), extras: state.results };
}

/** A `Fault` is JSON, but its optional member hides that from the compiler. */
function toProgress(state: ExtrasState): JsonValue {
  return { extras: state } as unknown as JsonValue;
}

function failed(fault: Fault): ExtraResult {
  return { status: "failed", id: null, url: null, fault };
}

/** A fault that tells the owner that the call may have succeeded. */
function unknownOutcome({ message, httpStatus, platformCode }: Fault): Fault {
  return rejected(message, { httpStatus, platformCode }, { code: "outcome_unknown", category: "platform" });
}

const NO_ANSWER = temporary("The platform did not say what became of it.", { httpStatus: null });
