import { MINUTE, SECOND } from "#core/clock.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import { type Answer, call, isOk } from "#platforms/answer.ts";
import type { CommitOutcome, Fault, Job, PlatformClient } from "#platforms/contract.ts";
import { rateLimited } from "#platforms/fault.ts";
import { postJson } from "#platforms/form.ts";
import { tooSlow } from "./assets.ts";
import { DUPLICATE, duplicateOf, MEDIA_NOT_READY, toFault, UPLOAD_EXPIRED } from "./errors.ts";
import { API, postUrl, restHeaders } from "./hosts.ts";
import { Ref } from "./refs.ts";
import { toLittleText } from "./text.ts";

/** The intent of the first call is as old as that call; of a later one it is older. */
const SAME_CALL_MS = 10 * SECOND;
/** How long after its upload LinkedIn may still be working on a file. */
const NOT_READY_MS = 10 * MINUTE;

export async function commit(client: PlatformClient, job: Job, ref: JsonValue): Promise<CommitOutcome> {
  const plan = Ref.parse(ref);
  const sent: Ref = {
    ...plan,
    sends: plan.sends + 1,
    firstSentAt: plan.firstSentAt ?? job.committedAt ?? job.now,
    sentAt: job.now,
  };
  const { app, accessToken } = job.account;
  let answer: Answer;
  try {
    answer = await call(client, `${API}/rest/posts`, postJson(bodyOf(job, plan), restHeaders(app, accessToken)));
  } catch {
    return { state: "uncertain", detail: "the connection broke after the post was sent", httpStatus: null, ref: sent };
  }
  // The header is the only place where LinkedIn tells the id.
  const urn = isOk(answer) ? answer.headers.get("x-restli-id") : null;
  if (urn) {
    return published(urn);
  }
  const uncertain = (more: Partial<Ref> = {}): CommitOutcome => ({
    state: "uncertain",
    detail: `LinkedIn answered ${answer.status}`,
    httpStatus: answer.status,
    ref: { ...sent, ...more },
  });
  if (answer.status < 400 || answer.status === 408 || answer.status >= 500) {
    return uncertain();
  }
  const fault = toFault(answer, job.now);
  const repeated = isRepeated(job, plan);
  if (fault.code === DUPLICATE && repeated) {
    // The same words that refuse a repetition prove that the earlier call arrived.
    const earlier = duplicateOf(answer);
    return earlier ? published(earlier) : uncertain({ duplicate: true });
  }
  if (fault.code === UPLOAD_EXPIRED && !repeated) {
    return { state: "stale", detail: "LinkedIn no longer waits for the upload" };
  }
  if (repeated && !canList(job) && fault.kind !== "rejected") {
    // This call is refused; what became of the one before it, nobody can be asked.
    return uncertain();
  }
  return { state: "refused", fault: fault.kind === "temporary" ? notReady(job, plan, fault) : fault };
}

/** LinkedIn still works on a file: the same call once more, a little later and at no cost. */
function notReady(job: Job, plan: Ref, fault: Fault): Fault {
  return job.now - plan.uploadedAt > NOT_READY_MS
    ? tooSlow(fault.httpStatus)
    : rateLimited(fault.message, fault, { code: MEDIA_NOT_READY, category: "media", whoMustAct: "platform" });
}

function published(urn: string): CommitOutcome {
  return { state: "published", remoteId: urn, url: postUrl(urn) };
}

function isRepeated(job: Job, plan: Ref): boolean {
  return plan.sends > 0 || (job.committedAt !== null && job.now - job.committedAt > SAME_CALL_MS);
}

/** Pages can list what they have published, members cannot. */
export function canList(job: Job): boolean {
  return job.account.capabilities["canList"] === true;
}

/** Byte for byte the same however often it is written: a repetition is only recognised as one when it is. */
function bodyOf(job: Job, plan: Ref): JsonObject {
  const content = contentOf(plan);
  return {
    author: job.account.platformAccountId,
    commentary: toLittleText(job.caption),
    visibility: "PUBLIC",
    distribution: { feedDistribution: "MAIN_FEED", targetEntities: [], thirdPartyDistributionChannels: [] },
    ...(content && { content }),
    lifecycleState: "PUBLISHED",
    isReshareDisabledByAuthor: false,
  };
}

function contentOf(plan: Ref): JsonObject | null {
  const [first] = plan.urns;
  if (first === undefined) {
    return null;
  }
  return plan.urns.length === 1
    ? { media: { id: first } }
    : { multiImage: { images: plan.urns.map((id) => ({ id })) } };
}
