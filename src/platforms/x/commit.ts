import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import { type PlatformResponse, callPlatform, isOk, parseBody } from "#platforms/response.ts";
import type { CommitOutcome, Job, MoreOutcome, PlatformClient, PublishedOutcome } from "#platforms/contract.ts";
import { bearerHeader, postJson } from "#platforms/request-encoding.ts";
import { CreatedPost } from "./answers.ts";
import { DUPLICATE_CODE, MEDIA_EXPIRED_CODE, QUOTE_REFUSED_CODE, toFault } from "./errors.ts";
import { API_ORIGIN, CALL_TIMEOUT_MS } from "./hosts.ts";
import { type QuotedPost, parseQuotedPost, quoteMode } from "./options.ts";
import { CommitRef } from "./refs.ts";
import { currentThreadPart, publishedThreadParts, threadPartOutcome } from "#platforms/thread.ts";

/** If the recorded commit is at most this much (ms) older than the present call, both are the same call. */
const SAME_SEND_MS = 10_000;

export async function commit(client: PlatformClient, job: Job, ref: JsonValue): Promise<CommitOutcome> {
  const commitRef = CommitRef.parse(ref);
  const sentRef: CommitRef = { ...commitRef, sendCount: commitRef.sendCount + 1, sentAt: job.now, missingSince: null };
  let response: PlatformResponse;
  try {
    response = await callPlatform(client, `${API_ORIGIN}/2/tweets`, {
      ...postJson(postBody(job, commitRef), bearerHeader(job.account.accessToken)),
      timeoutMs: CALL_TIMEOUT_MS,
    });
  } catch {
    return {
      state: "uncertain",
      detail: "the connection broke after the post was sent",
      httpStatus: null,
      ref: sentRef,
    };
  }
  const created = isOk(response) ? parseBody(CreatedPost, response) : undefined;
  if (created) {
    return partOutcome(job, created.data.id);
  }
  if (response.status < 400 || response.status === 408 || response.status >= 500) {
    return { state: "uncertain", detail: `X answered ${response.status}`, httpStatus: response.status, ref: sentRef };
  }
  const fault = toFault(response, job.now);
  if (
    fault.code === QUOTE_REFUSED_CODE &&
    commitRef.quote === "native" &&
    quoteMode(job.account.app.settings) === "native_then_link"
  ) {
    // The refused call created nothing, so the second call is still the only visible one.
    return { state: "more", ref: { ...commitRef, quote: "link" }, progress: job.progress };
  }
  if (fault.code === MEDIA_EXPIRED_CODE && commitRef.mediaIds.length > 0) {
    return { state: "stale", detail: "X no longer knows the uploaded media" };
  }
  if (fault.code === DUPLICATE_CODE && isRepeated(job, commitRef)) {
    // After an earlier call with an uncertain outcome, this refusal may mean that the earlier call has arrived.
    return {
      state: "uncertain",
      detail: "X reports that the same text was already posted",
      httpStatus: response.status,
      ref: { ...sentRef, duplicate: true },
    };
  }
  return { state: "refused", fault };
}

export function partOutcome(job: Job, id: string): PublishedOutcome | MoreOutcome {
  const index = publishedThreadParts(job.progress).length;
  return threadPartOutcome(job, { id, url: postUrl(job, id) }, refOfReply(job.partMedia?.[index]));
}

/**
 * The reference for the call that sends a later thread part. Null if the part has media, which must be uploaded first.
 */
export function refOfReply(media: readonly unknown[] = []): typeof REPLY_REF | null {
  return media.length > 0 ? null : REPLY_REF;
}

/** The reference for a reply that has only a text. */
const REPLY_REF = {
  mediaIds: [],
  mediaKeys: [],
  quote: "none",
  sendCount: 0,
  sentAt: null,
  duplicate: false,
  missingSince: null,
} as const satisfies CommitRef;

/** Whether this call is a repetition. `committedAt` is the time of the first call, so an older value shows it. */
function isRepeated(job: Job, commitRef: CommitRef): boolean {
  return commitRef.sendCount > 0 || (job.committedAt !== null && job.now - job.committedAt > SAME_SEND_MS);
}

/** The body of the post. It has only documented members, because X refuses a request with any other. */
function postBody(job: Job, commitRef: CommitRef): JsonObject {
  const part = currentThreadPart(job);
  if (part && part.replyTo !== null) {
    return {
      text: part.caption,
      ...(commitRef.mediaIds.length > 0 && { media: { media_ids: commitRef.mediaIds } }),
      reply: { in_reply_to_tweet_id: part.replyTo },
    };
  }
  const quote = commitRef.quote === "none" ? null : findQuotedPost(job);
  const {
    reply_settings: replySettings,
    poll,
    community_id: communityId,
    made_with_ai: madeWithAi,
    paid_partnership: paidPartnership,
    tagged_user_ids: taggedUserIds,
  } = job.options;
  const isTagging = Array.isArray(taggedUserIds) && taggedUserIds.length > 0;
  return {
    text: postText(job, commitRef),
    ...(commitRef.mediaIds.length > 0 && {
      media: { media_ids: commitRef.mediaIds, ...(isTagging && { tagged_user_ids: taggedUserIds }) },
    }),
    ...(isJsonObject(poll) && { poll }),
    ...(typeof communityId === "string" && { community_id: communityId }),
    ...(madeWithAi === true && { made_with_ai: true }),
    ...(paidPartnership === true && { paid_partnership: true }),
    ...(quote && commitRef.quote === "native" && { quote_tweet_id: quote.id }),
    ...(typeof replySettings === "string" && { reply_settings: replySettings }),
  };
}

export function findQuotedPost(job: Job): QuotedPost | null {
  const value = job.options["quote_tweet_url"];
  return typeof value === "string" ? parseQuotedPost(value) : null;
}

function postText(job: Job, commitRef: CommitRef): string {
  const link = commitRef.quote === "link" ? findQuotedPost(job)?.link : undefined;
  return link ? `${job.caption} ${link}`.trimStart() : job.caption;
}

export function postUrl(job: Job, id: string): string {
  return `https://x.com/${job.account.username}/status/${id}`;
}
