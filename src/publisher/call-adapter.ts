import { MINUTE } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import type {
  AccountAccess,
  Adapter,
  CommitOutcome,
  Fault,
  Job,
  JobFile,
  JobMedia,
  PrepareOutcome,
  TokenSet,
  VerifyOutcome,
  PlatformClient,
} from "#platforms/contract.ts";
import type { StoredMediaItem } from "#db/schema.ts";
import { clientForLogin } from "#accounts/index.ts";
import { mediaKey } from "#media/index.ts";
import { temporaryFault } from "#publisher/run/next-step.ts";
import { selectSiblings } from "#publisher/run/store-siblings.ts";
import { mediaOfTarget, postTypeOfTarget, type PublishRun, type PublishRunTarget } from "#publisher/run/store-run.ts";
import type { TargetRun } from "#publisher/run/target-run.ts";
import { storedDocument } from "#posts/rows/option-document.ts";
import { storedThreadMedia } from "#posts/rows/thread-media.ts";
import type { Services } from "#context.ts";

/** A `prepare` step is aborted after this time (ms). Each of its requests has its own, shorter timeout. */
const PREPARE_TIMEOUT_MS = 5 * MINUTE;
const COMMIT_TIMEOUT_MS = 5 * MINUTE;
const VERIFY_TIMEOUT_MS = MINUTE;

export interface AdapterCall {
  readonly services: Services;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly adapter: Adapter;
  readonly access: AccountAccess & Pick<TokenSet, "hosts">;
  readonly publishRun: PublishRun;
  readonly target: PublishRunTarget;
  readonly run: TargetRun;
  readonly dueAt: number;
}

/** The outcome of a step, with the HTTP status of its last response. */
export interface AdapterResult<Outcome> {
  readonly outcome: Outcome;
  readonly httpStatus: number | null;
}

/** Calls `prepare`. It can be repeated, so any exception in it becomes a temporary fault. */
export async function callPrepare(call: AdapterCall): Promise<AdapterResult<PrepareOutcome>> {
  const mediaCheck = { missing: false };
  return await runWithTimeout(
    call,
    PREPARE_TIMEOUT_MS,
    (client) => call.adapter.prepare(client, toJob(call, mediaCheck), call.run.cursor?.value),
    (reason, httpStatus) => ({
      state: "refused",
      fault: mediaCheck.missing ? MEDIA_MISSING : temporaryFault(reason, httpStatus),
    }),
  );
}

/**
 * Calls `commit`. A request may have reached the platform before an exception, so any exception makes the outcome
 * uncertain.
 */
export async function callCommit(call: AdapterCall): Promise<AdapterResult<CommitOutcome>> {
  const ref = call.run.prepared?.ref ?? null;
  return await runWithTimeout(
    call,
    COMMIT_TIMEOUT_MS,
    (client) => call.adapter.commit(client, toJob(call), ref),
    (detail, httpStatus) => ({
      state: "uncertain",
      detail,
      httpStatus,
    }),
  );
}

/** Calls `verify`. It only reads, so any exception means that it is repeated. */
export async function callVerify(call: AdapterCall): Promise<AdapterResult<VerifyOutcome>> {
  const ref = call.run.prepared?.ref ?? null;
  return await runWithTimeout(
    call,
    VERIFY_TIMEOUT_MS,
    async (client) => await call.adapter.verify(client, await toVerifyJob(call, ref), ref),
    () => ({
      state: "again",
      afterSeconds: 0,
      isProcessing: false,
    }),
  );
}

/**
 * Runs a step until it ends or times out. Then its client is closed, so that a step which is still running sends
 * nothing more.
 */
async function runWithTimeout<Outcome>(
  call: AdapterCall,
  timeoutMs: number,
  step: (client: PlatformClient) => Promise<Outcome>,
  outcomeOfFailure: (reason: string, httpStatus: number | null) => Outcome,
): Promise<AdapterResult<Outcome>> {
  const callLog = { lastStatus: null as number | null };
  const stepAbort = new AbortController();
  const client = clientForLogin(
    call.services,
    call.adapter,
    call.access,
    async (request) => {
      stepAbort.signal.throwIfAborted();
      const signal = AbortSignal.any([request.signal, stepAbort.signal]);
      // mutant: token-in-log
      return await call.services.outbound.platformFetch(new Request(request, { signal }));
    },
    callLog,
  );
  try {
    const timeout = call.sleep(timeoutMs, stepAbort.signal).then(() => TIMED_OUT);
    const outcome = await Promise.race([step(client), timeout]);
    const httpStatus = callLog.lastStatus;
    return outcome === TIMED_OUT
      ? { outcome: outcomeOfFailure(TIMEOUT_REASON, httpStatus), httpStatus }
      : { outcome: outcome as Outcome, httpStatus };
  } catch (error) {
    return { outcome: outcomeOfFailure(failureReason(error), callLog.lastStatus), httpStatus: callLog.lastStatus };
  } finally {
    stepAbort.abort();
  }
}

const TIMED_OUT = Symbol("timed out");
const TIMEOUT_REASON = "the platform did not answer in time";

/** Describes an error. Only known kinds are described, because an error's text may contain a URL with a token. */
function failureReason(error: unknown): string {
  const name = error instanceof Error ? error.name : "";
  return name === "TimeoutError" || name === "AbortError" ? TIMEOUT_REASON : "the connection to the platform broke";
}

/**
 * Builds the job for `verify`. Without a reference, the adapter recognizes the post by its content, so it must know the
 * posts of other targets.
 */
async function toVerifyJob(call: AdapterCall, ref: JsonValue): Promise<Job> {
  const job = toJob(call);
  const db = call.services.db;
  return ref === null ? { ...job, siblings: await selectSiblings(db, job) } : job;
}

function toJob(call: AdapterCall, mediaCheck: { missing: boolean } = { missing: false }): Job {
  const { publishRun, target, run, services } = call;
  const toMedia = (item: StoredMediaItem) => toJobMedia(item, publishRun, services, mediaCheck);
  const partMedia = storedThreadMedia(target.options).map((items) => items.map(toMedia));
  const document = storedDocument(target.options);
  return {
    postId: publishRun.post.id,
    accountId: target.accountId,
    account: call.access,
    caption: target.effectiveCaption,
    postType: postTypeOfTarget(publishRun, target),
    options: target.options,
    media: mediaOfTarget(publishRun, target).map(toMedia),
    ...(partMedia.length > 0 && { partMedia }),
    ...(document && { document: { ...document, ...toJobFile(document, publishRun, services, mediaCheck) } }),
    dueAt: call.dueAt,
    committedAt: run.committedAt,
    lastCommittedAt: run.lastCommittedAt,
    progress: run.progress,
    siblings: [],
    now: services.clock.now(),
  };
}

function toJobMedia(
  { cover, ...item }: StoredMediaItem,
  publishRun: PublishRun,
  services: Services,
  mediaCheck: { missing: boolean },
): JobMedia {
  return {
    ...item,
    facts: publishRun.media.find(({ id }) => id === item.id)?.facts ?? {},
    ...toJobFile(item, publishRun, services, mediaCheck),
    ...(cover && {
      cover: {
        ...(cover.atMs !== undefined && { atMs: cover.atMs }),
        ...(cover.image && { image: toJobMedia(cover.image, publishRun, services, mediaCheck) }),
      },
    }),
  };
}

/** Describes a stored file for an adapter, with a function that reads the file. */
function toJobFile(
  { id, sha256 }: Pick<StoredMediaItem, "id" | "sha256">,
  publishRun: PublishRun,
  services: Services,
  mediaCheck: { missing: boolean },
): Pick<JobFile, "filename" | "read"> {
  return {
    filename: publishRun.media.find((file) => file.id === id)?.filename ?? id,
    read: async (range) => {
      const object = await services.bucket.get(mediaKey(sha256), range && { range });
      if (!object) {
        mediaCheck.missing = true;
        throw new Error("stored media is missing");
      }
      return object.body;
    },
  };
}

const MEDIA_MISSING: Fault = {
  kind: "rejected",
  code: "media_invalid",
  category: "internal",
  message: "The stored media of this post is missing.",
  platformCode: null,
  httpStatus: null,
  whoMustAct: "operator",
};
