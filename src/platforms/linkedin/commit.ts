import { MINUTE, SECOND } from "#core/clock.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import { altTextOf } from "#platforms/alt-text.ts";
import { documentOf } from "#platforms/document.ts";
import { type PlatformResponse, callPlatform, isOk } from "#platforms/response.ts";
import type { CommitOutcome, Fault, Job, JobMedia, PlatformClient } from "#platforms/contract.ts";
import { rateLimited } from "#platforms/fault.ts";
import { postJson } from "#platforms/request-encoding.ts";
import { processingTimedOut } from "./upload.ts";
import {
  DUPLICATE_CODE,
  duplicatedPostUrn,
  MEDIA_NOT_READY_CODE,
  PAGE_REFUSED_CODE,
  toAccountFault,
  UPLOAD_EXPIRED_CODE,
} from "./errors.ts";
import { API_ORIGIN, postUrl, restHeaders, WRITE_TIMEOUT_MS } from "./hosts.ts";
import { CommitRef } from "./refs.ts";
import { toLittleText } from "./text.ts";

/** If `committedAt` is older than this (ms), an earlier visible call was sent. */
const SAME_CALL_MS = 10 * SECOND;
/**
 * For how long (ms) a member's post may be sent again. LinkedIn refuses an identical post only for about ten minutes,
 * so a later one could be a second post.
 */
export const RESEND_UNTIL_MS = 9 * MINUTE;
/** For how long (ms) after its upload LinkedIn may report a file as not ready. */
const MEDIA_NOT_READY_LIMIT_MS = 10 * MINUTE;

export async function commit(client: PlatformClient, job: Job, ref: JsonValue): Promise<CommitOutcome> {
  const commitRef = CommitRef.parse(ref);
  const sentRef: CommitRef = {
    ...commitRef,
    sendCount: commitRef.sendCount + 1,
    firstSentAt: commitRef.firstSentAt ?? job.committedAt ?? job.now,
    sentAt: job.now,
  };
  if (isTooLateToRepeat(job, commitRef)) {
    return {
      state: "uncertain",
      detail: "the outcome of the first call is unknown, and LinkedIn may accept the same post again",
      httpStatus: null,
      // No call was sent now, and none may follow either.
      ref: { ...sentRef, sendCount: Math.max(2, sentRef.sendCount) },
    };
  }
  const { app, accessToken } = job.account;
  let response: PlatformResponse;
  try {
    response = await callPlatform(client, `${API_ORIGIN}/rest/posts`, {
      ...postJson(postBody(job, commitRef), restHeaders(app, accessToken)),
      timeoutMs: WRITE_TIMEOUT_MS,
    });
  } catch {
    return {
      state: "uncertain",
      detail: "the connection broke after the post was sent",
      httpStatus: null,
      ref: sentRef,
    };
  }
  // LinkedIn returns the id of the post only in this header.
  const urn = isOk(response) ? response.headers.get("x-restli-id") : null;
  if (urn) {
    return publishedOutcome(urn);
  }
  const uncertain = (refChanges: Partial<CommitRef> = {}): CommitOutcome => ({
    state: "uncertain",
    detail: `LinkedIn answered ${response.status}`,
    httpStatus: response.status,
    ref: { ...sentRef, ...refChanges },
  });
  if (response.status < 400 || response.status === 408 || response.status >= 500) {
    return uncertain();
  }
  const fault = toAccountFault(response, job);
  const isRepeatedCall = isRepeated(job, commitRef);
  if (fault.code === DUPLICATE_CODE && isRepeatedCall) {
    // The URN in the refusal changed on every try and led nowhere (https://github.com/ComposioHQ/composio/issues/2710).
    // Only reading the post shows that it is public.
    return uncertain({ duplicate: true, duplicateUrn: duplicatedPostUrn(response) });
  }
  if (fault.code === UPLOAD_EXPIRED_CODE && !isRepeatedCall) {
    return { state: "stale", detail: "LinkedIn no longer waits for the upload" };
  }
  if (isRepeatedCall && !canListPosts(job) && (fault.kind !== "rejected" || fault.code === PAGE_REFUSED_CODE)) {
    // LinkedIn refused this call, but the outcome of the earlier call is still unknown and cannot be read.
    return uncertain();
  }
  return { state: "refused", fault: fault.kind === "temporary" ? mediaNotReady(job, commitRef, fault) : fault };
}

/** The fault while LinkedIn is processing a file. The publisher repeats the call soon and uses up no attempt. */
function mediaNotReady(job: Job, commitRef: CommitRef, fault: Fault): Fault {
  return job.now - commitRef.uploadedAt > MEDIA_NOT_READY_LIMIT_MS
    ? processingTimedOut(fault.httpStatus)
    : rateLimited(fault.message, fault, { code: MEDIA_NOT_READY_CODE, category: "media", whoMustAct: "platform" });
}

function publishedOutcome(urn: string): CommitOutcome {
  return { state: "published", remoteId: urn, url: postUrl(urn) };
}

function isRepeated(job: Job, commitRef: CommitRef): boolean {
  return commitRef.sendCount > 0 || (job.committedAt !== null && job.now - job.committedAt > SAME_CALL_MS);
}

/**
 * Whether it is too late to repeat the call. After a kill or a wait, LinkedIn may have forgotten the first call and
 * accept a second post.
 */
function isTooLateToRepeat(job: Job, { firstSentAt }: CommitRef): boolean {
  const firstCallAt = Math.min(job.committedAt ?? job.now, firstSentAt ?? job.now);
  return !canListPosts(job) && job.now - firstCallAt >= RESEND_UNTIL_MS;
}

/** Whether posts of the account can be listed. LinkedIn's API lists the posts of pages, but not those of members. */
export function canListPosts(job: Job): boolean {
  return job.account.capabilities["canList"] === true;
}

/**
 * The body of the post. Every call of a job sends the same bytes, because LinkedIn recognizes a duplicate only if
 * nothing differs.
 */
function postBody(job: Job, commitRef: CommitRef): JsonObject {
  const content = postContent(job, commitRef);
  return {
    author: job.account.platformAccountId,
    commentary: toLittleText(job.caption),
    visibility: job.options["visibility"] === "connections" ? "CONNECTIONS" : "PUBLIC",
    distribution: { feedDistribution: "MAIN_FEED", targetEntities: [], thirdPartyDistributionChannels: [] },
    ...(content && { content }),
    lifecycleState: "PUBLISHED",
    isReshareDisabledByAuthor: job.options["disable_reshare"] === true,
  };
}

function postContent({ media, options: requested }: Job, commitRef: CommitRef): JsonObject | null {
  const items = commitRef.urns.map((id, index) => withAltText(id, media[index]));
  const [first] = items;
  if (first === undefined) {
    return attachment(requested);
  }
  const document = documentOf(requested);
  if (document) {
    return { media: { ...first, title: document["title"] ?? "" } };
  }
  return items.length === 1 ? { media: first } : { multiImage: { images: items } };
}

/**
 * The article or poll of a post. LinkedIn does not read the page of an article, so the post sends its title (posts-api
 * and poll-post-api).
 */
function attachment({ article, poll }: JsonObject): JsonObject | null {
  if (isJsonObject(article)) {
    const { url = null, title = null, description } = article;
    return { article: { source: url, title, ...(typeof description === "string" && { description }) } };
  }
  if (isJsonObject(poll)) {
    const { question = null, options = [], duration = null } = poll;
    const texts = Array.isArray(options) ? options.map((text: JsonValue) => ({ text })) : [];
    return { poll: { question, options: texts, settings: { duration } } };
  }
  return null;
}

/** Adds the description to an image. Videos and documents have none. */
function withAltText(id: string, media: JobMedia | undefined): JsonObject {
  const altText = media?.type === "image" ? altTextOf(media) : undefined;
  return { id, ...(altText !== undefined && { altText }) };
}
