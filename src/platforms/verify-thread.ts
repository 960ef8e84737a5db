import { z } from "@hono/zod-openapi";
import { SECOND } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import type { Job, VerifyOutcome } from "./contract.ts";
import {
  currentThreadPart,
  nextThreadPart,
  publishedThreadParts,
  type ThreadPart,
  threadPartOutcome,
} from "./thread.ts";
import { verifyAgainIn } from "./verify-again.ts";
import { waitUntilListedMs } from "./verify-by-row.ts";

/* `verify` of a thread without its journal. It finds the published parts from the first one on, each by the post
   that it replies to. If the next part is certainly missing, the thread continues with it. */

/** The time (ms) between two complete lists that must both lack a part of the thread. */
export const MISSING_FOR_MS = 60 * SECOND;
const RETRY_MS = 60 * SECOND;

export type Reply = ThreadPart & { readonly replyTo: string };

/** The account's replies to its own posts, completely read. */
export interface OwnReplies {
  readonly find: (part: Reply) => { readonly id: string; readonly url: string | null } | undefined;
  /** Whether a listed post could be the part in an unrecognized form. */
  readonly hasSimilar: (part: Reply) => boolean;
}

interface ThreadLook {
  readonly listedAfterMs: number;
  /** Looks for the first part, like for a single post. */
  readonly findFirst: () => Promise<VerifyOutcome>;
  /** Lists the replies. Undefined if the list cannot be read completely. */
  readonly listReplies: (rootId: string) => Promise<OwnReplies | undefined>;
  /** Whether the publisher may send a missing part. */
  readonly mayGoOn: boolean;
  /** The reference of the next part, as in `threadPartOutcome`. */
  readonly nextRef: (job: Job) => JsonValue;
}

/** The state between two lookups: how many parts were found when the next one was first missing. */
const LostThreadRef = z.object({ foundParts: z.number(), missingSince: z.number() });

export function isLostThread(ref: JsonValue): boolean {
  return ref === null || LostThreadRef.safeParse(ref).success;
}

export async function verifyLostThread(job: Job, ref: JsonValue, look: ThreadLook): Promise<VerifyOutcome> {
  let found = job;
  if (publishedThreadParts(job.progress).length === 0) {
    const first = await look.findFirst();
    if (first.state !== "published") {
      return first;
    }
    found = withPart(job, { id: first.remoteId, url: first.url });
  }
  const waitMs = waitUntilListedMs(job, look.listedAfterMs);
  if (waitMs > 0) {
    return verifyAgainIn(waitMs);
  }
  const replies = await look.listReplies(publishedThreadParts(found.progress)[0]?.id ?? "");
  if (!replies) {
    return verifyAgainIn(RETRY_MS);
  }
  for (;;) {
    const part = currentThreadPart(found);
    if (!part || part.replyTo === null) {
      return { state: "cannot_tell", detail: "the parts of the thread are not known" };
    }
    const reply = { ...part, replyTo: part.replyTo };
    const published = replies.find(reply);
    if (!published) {
      return look.mayGoOn && !replies.hasSimilar(reply)
        ? goOn(job, ref, found.progress, look.nextRef(found))
        : { state: "cannot_tell", detail: `${part.index} parts of the thread were found` };
    }
    const outcome = threadPartOutcome(found, published, null);
    if (outcome.state === "published") {
      return outcome;
    }
    found = { ...found, progress: outcome.progress };
  }
}

/** Continues with the missing part, but only after a second complete list, a minute later, also lacks it. */
function goOn(job: Job, ref: JsonValue, progress: JsonValue, nextRef: JsonValue): VerifyOutcome {
  const earlier = LostThreadRef.safeParse(ref).data;
  const foundParts = publishedThreadParts(progress).length;
  // mutant: lost-thread-one-look
  if (earlier?.foundParts !== foundParts) {
    const next = { foundParts, missingSince: job.now };
    return { state: "again", afterSeconds: MISSING_FOR_MS / SECOND, isProcessing: false, ref: next };
  }
  const leftMs = earlier.missingSince + MISSING_FOR_MS - job.now;
  return leftMs > 0 ? verifyAgainIn(leftMs) : nextThreadPart(progress, nextRef);
}

function withPart(job: Job, part: { readonly id: string; readonly url: string | null }): Job {
  return { ...job, progress: threadPartOutcome(job, part, null).progress ?? null };
}
