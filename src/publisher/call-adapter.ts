import { MINUTE } from "#core/clock.ts";
import type {
  AccountAccess,
  Adapter,
  CommitOutcome,
  Fault,
  Job,
  JobMedia,
  PrepareOutcome,
  VerifyOutcome,
  PlatformClient,
} from "#platforms/contract.ts";
import { openPlatformClient } from "#platforms/client.ts";
import { mediaKey } from "#media/index.ts";
import { temporaryFault } from "#posting/run/next-step.ts";
import type { PublishRun, TargetRow } from "#posting/run/store-run.ts";
import type { TargetRun } from "#posting/run/target-run.ts";
import type { Services } from "#context.ts";

/** A step that takes longer than this is cut off; each call inside has its own, shorter limit. */
const PREPARE_LIMIT_MS = 5 * MINUTE;
const COMMIT_LIMIT_MS = 5 * MINUTE;
const VERIFY_LIMIT_MS = MINUTE;

export interface Call {
  readonly services: Services;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly adapter: Adapter;
  readonly access: AccountAccess;
  readonly plan: PublishRun;
  readonly target: TargetRow;
  readonly run: TargetRun;
  readonly dueAt: number;
}

/** An outcome and the status of the platform's last answer in the step. */
export interface Called<Outcome> {
  readonly outcome: Outcome;
  readonly httpStatus: number | null;
}

/** Repeatable, so whatever goes wrong inside is a temporary fault. */
export async function callPrepare(call: Call): Promise<Called<PrepareOutcome>> {
  const media = { missing: false };
  return await within(
    call,
    PREPARE_LIMIT_MS,
    (client) => call.adapter.prepare(client, jobOf(call, media), call.run.cursor?.value),
    (reason, httpStatus) => ({
      state: "refused",
      fault: media.missing ? MEDIA_MISSING : temporaryFault(reason, httpStatus),
    }),
  );
}

/** Whatever goes wrong here may have arrived. */
export async function callCommit(call: Call): Promise<Called<CommitOutcome>> {
  const ref = call.run.ready?.ref ?? null;
  return await within(
    call,
    COMMIT_LIMIT_MS,
    (client) => call.adapter.commit(client, jobOf(call), ref),
    (detail, httpStatus) => ({
      state: "uncertain",
      detail,
      httpStatus,
    }),
  );
}

/** Only reads, so whatever goes wrong means to ask again. */
export async function callVerify(call: Call): Promise<Called<VerifyOutcome>> {
  const ref = call.run.ready?.ref ?? null;
  return await within(
    call,
    VERIFY_LIMIT_MS,
    (client) => call.adapter.verify(client, jobOf(call), ref),
    () => ({
      state: "again",
      afterSeconds: 0,
      known: false,
    }),
  );
}

/** Runs a step to its end or to its limit; after that its client is dead, so that nothing is sent behind our back. */
async function within<Outcome>(
  call: Call,
  limitMs: number,
  step: (client: PlatformClient) => Promise<Outcome>,
  broken: (reason: string, httpStatus: number | null) => Outcome,
): Promise<Called<Outcome>> {
  const callLog = { lastStatus: null as number | null };
  const end = new AbortController();
  const client = openPlatformClient(
    async (request) => {
      end.signal.throwIfAborted();
      const signal = AbortSignal.any([request.signal, end.signal]);
      return await call.services.outbound.platformFetch(new Request(request, { signal }));
    },
    call.adapter.hosts,
    callLog,
  );
  try {
    const limit = call.wait(limitMs, end.signal).then(() => TOO_LONG);
    const outcome = await Promise.race([step(client), limit]);
    const httpStatus = callLog.lastStatus;
    return outcome === TOO_LONG
      ? { outcome: broken(LATE, httpStatus), httpStatus }
      : { outcome: outcome as Outcome, httpStatus };
  } catch (error) {
    return { outcome: broken(wordsOf(error), callLog.lastStatus), httpStatus: callLog.lastStatus };
  } finally {
    end.abort();
  }
}

const TOO_LONG = Symbol("too long");
const LATE = "the platform did not answer in time";

/** An error's text may quote an address with a token in it, so only the kinds we know are told. */
function wordsOf(error: unknown): string {
  const name = error instanceof Error ? error.name : "";
  return name === "TimeoutError" || name === "AbortError" ? LATE : "the connection to the platform broke";
}

function jobOf(call: Call, seen: { missing: boolean } = { missing: false }): Job {
  const { plan, target, run, services } = call;
  const facts = new Map(plan.media.map((item) => [item.id, item]));
  return {
    postId: plan.post.id,
    accountId: target.accountId,
    account: call.access,
    caption: target.effectiveCaption,
    postType: plan.post.postType,
    options: target.options,
    media: plan.post.media.map((item): JobMedia => ({
      ...item,
      facts: facts.get(item.id)?.facts ?? {},
      filename: facts.get(item.id)?.filename ?? item.id,
      read: async (range) => {
        const object = await services.bucket.get(mediaKey(item.sha256), range && { range });
        if (!object) {
          seen.missing = true;
          throw new Error("stored media is missing");
        }
        return object.body;
      },
    })),
    dueAt: call.dueAt,
    committedAt: run.committedAt,
    progress: run.progress,
    now: services.clock.now(),
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
