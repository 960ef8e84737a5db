import { MINUTE, SECOND } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import { comparableText } from "#platforms/comparable-text.ts";
import type { Fault, Job, VerifyOutcome, PlatformClient } from "#platforms/contract.ts";
import { parseBody } from "#platforms/response.ts";
import { verifyAgainIn } from "#platforms/verify-again.ts";
import { type CandidateList, type ListedCandidate, notListed, verifyByRow } from "#platforms/verify-by-row.ts";
import { publicPostId, PublishStatus, type ListedVideo, VideoList } from "./answers.ts";
import { callApi, isSuccess } from "./api.ts";
import { profileUrl } from "./connect.ts";
import { publishFailureFault, toFault } from "./errors.ts";
import { isDraft, isPublic, titleOf } from "./options.ts";
import { CommitRef } from "./refs.ts";

/** How soon (ms) TikTok counts a chunk. A chunk that is not counted by then has not arrived. */
const BYTES_COUNTED_AFTER_MS = 10 * SECOND;
/** How long (ms) to wait for the public id, which comes within about a minute, after hours, or never. */
const ID_WAIT_MS = MINUTE;
const ID_POLL_SECONDS = 10;
const MIN_RETRY_SECONDS = 5;
const MAX_POLL_SECONDS = 60;
const SLOW_POLL_AFTER_MS = 15 * MINUTE;
const SLOW_POLL_SECONDS = 5 * 60;
const MAX_RETRY_SECONDS = 15 * 60;

export async function verify(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome> {
  if (ref === null) {
    return await verifyFromRow(client, job);
  }
  const commitRef = CommitRef.parse(ref);
  if (commitRef.publishId === null) {
    return await verifyPhotos(client, job, commitRef);
  }
  const response = await callApi(client, "/v2/post/publish/status/fetch/", job.account.accessToken, {
    publish_id: commitRef.publishId,
  });
  const status = isSuccess(response) ? parseBody(PublishStatus, response)?.data : undefined;
  if (!status) {
    return retryOutcome(job, commitRef, isSuccess(response) ? null : toFault(response));
  }
  switch (status.status) {
    case "PUBLISH_COMPLETE":
      return completeOutcome(job, commitRef, commitRef.publishId, status);
    case "SEND_TO_USER_INBOX":
      return { state: "published", remoteId: commitRef.publishId, url: null };
    case "FAILED": {
      const fault = publishFailureFault(status.fail_reason ?? null, response.status);
      return fault
        ? { state: "refused", fault }
        : { state: "stale", detail: `TikTok could not publish it: ${String(status.fail_reason).slice(0, 100)}` };
    }
    case "PROCESSING_UPLOAD":
      return commitRef.accepted || commitRef.uploadUrl === null
        ? processingOutcome(job, commitRef)
        : checkLastChunk(job, commitRef, status);
    default:
      return processingOutcome(job, commitRef);
  }
}

/**
 * The outcome of a complete post. TikTok returns the public id after moderation, and never for private posts. So the
 * post finally counts as published without it.
 */
function completeOutcome(job: Job, commitRef: CommitRef, publishId: string, status: PublishStatus): VerifyOutcome {
  const id = publicPostId(status);
  const profile = profileUrl(job.account.capabilities);
  if (id === undefined) {
    const completedAt = commitRef.completedAt ?? job.now;
    const getsId = isPublic(job.options) && !isDraft(job.options);
    return getsId && job.now < completedAt + ID_WAIT_MS
      ? { state: "again", afterSeconds: ID_POLL_SECONDS, isProcessing: true, ref: { ...commitRef, completedAt } }
      : { state: "published", remoteId: publishId, url: isDraft(job.options) ? null : profile };
  }
  const kind = job.postType === "video" ? "video" : "photo";
  return { state: "published", remoteId: id, url: profile && `${profile}/${kind}/${id}` };
}

function elapsedMs(job: Job, commitRef: CommitRef): number {
  return job.now - Math.max(job.lastCommittedAt ?? 0, commitRef.sentAt ?? 0);
}

/** The outcome while TikTok is processing the post, which takes from seconds to hours. */
function processingOutcome(job: Job, commitRef: CommitRef): VerifyOutcome {
  return { state: "again", afterSeconds: processingPollSeconds(elapsedMs(job, commitRef)), isProcessing: true };
}

function processingPollSeconds(elapsed: number): number {
  const pollSeconds = Math.min(MAX_POLL_SECONDS, Math.max(MIN_RETRY_SECONDS, Math.ceil(elapsed / 2 / SECOND)));
  return elapsed < SLOW_POLL_AFTER_MS ? pollSeconds : SLOW_POLL_SECONDS;
}

/**
 * Finds out by the number of stored bytes whether an unconfirmed last chunk has arrived. Sending it twice creates only
 * one post.
 */
function checkLastChunk(job: Job, commitRef: CommitRef, status: PublishStatus): VerifyOutcome {
  const total = job.media[0]?.sizeBytes ?? 0;
  const uploaded = status.uploaded_bytes ?? null;
  if (uploaded !== null && uploaded >= total) {
    return processingOutcome(job, commitRef);
  }
  if (uploaded === null) {
    return retryOutcome(job, commitRef, null);
  }
  if (elapsedMs(job, commitRef) < BYTES_COUNTED_AFTER_MS) {
    return { state: "again", afterSeconds: MIN_RETRY_SECONDS, isProcessing: false };
  }
  return commitRef.uploadExpired ? { state: "stale", detail: "the upload has expired" } : { state: "absent" };
}

function retryOutcome(job: Job, commitRef: CommitRef, fault: Fault | null): VerifyOutcome {
  if (fault?.kind === "reconnect") {
    return { state: "refused", fault };
  }
  if (fault?.code === "not_found") {
    return { state: "cannot_tell", detail: "TikTok does not know the upload" };
  }
  const elapsed = elapsedMs(job, commitRef);
  const growingSeconds = Math.min(MAX_RETRY_SECONDS, Math.max(MIN_RETRY_SECONDS, 3 * Math.ceil(elapsed / SECOND)));
  // TikTok has accepted the post, so a missing answer must not delay the next check by minutes.
  const afterSeconds = commitRef.accepted ? processingPollSeconds(elapsed) : growingSeconds;
  return { state: "again", afterSeconds: fault?.retryAfterSeconds ?? afterSeconds, isProcessing: commitRef.accepted };
}

const PAGE_SIZE = 20;
const MAX_PAGES = 10;
const RETRY_SECONDS = 60;

/** Looks for the post without a publish id. This works only for public videos, and for logins that may list them. */
async function verifyFromRow(client: PlatformClient, job: Job): Promise<VerifyOutcome> {
  if (job.account.capabilities["mayList"] === false) {
    return NOT_LISTABLE;
  }
  const caption = comparableText(job.caption);
  return job.postType !== "video" || isDraft(job.options) || !isPublic(job.options) || caption === ""
    ? {
        state: "cannot_tell",
        detail: "TikTok lists only public videos, and without a text a video cannot be recognized",
      }
    : await verifyByRow(job, {
        listedAfterMs: LAST_CHECK_MS,
        list: (since) => listCandidates(client, job, caption, since),
        decideNone: notListed,
      });
}

async function listCandidates(
  client: PlatformClient,
  job: Job,
  caption: string,
  since: number,
): Promise<CandidateList> {
  const candidates: ListedCandidate[] = [];
  let cursor: number | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const response = await callApi(
      client,
      "/v2/video/list/?fields=id,title,video_description,create_time,share_url",
      job.account.accessToken,
      { max_count: PAGE_SIZE, ...(cursor !== undefined && { cursor }) },
    );
    const list = isSuccess(response) ? parseBody(VideoList, response) : undefined;
    if (!list) {
      const fault = isSuccess(response) ? null : toFault(response);
      return { ok: false, outcome: unreadableOutcome(fault) };
    }
    const videos = list.data.videos ?? [];
    candidates.push(
      ...videos
        .filter((post) => createdAt(post) >= since)
        .map((post) => ({ id: post.id, url: postUrl(post, job), isMatch: hasSameText(post, [caption]) })),
    );
    cursor = list.data.cursor ?? undefined;
    // TikTok lists posts newest first, so stop at the first one that is too old.
    if (list.data.has_more !== true || videos.some((post) => createdAt(post) < since)) {
      return { ok: true, candidates };
    }
  }
  return { ok: false, outcome: unreadableOutcome(null) };
}

function unreadableOutcome(fault: ReturnType<typeof toFault> | null): VerifyOutcome {
  if (fault?.code === "missing_scope") {
    return NOT_LISTABLE;
  }
  return fault?.kind === "reconnect"
    ? { state: "refused", fault }
    : verifyAgainIn((fault?.retryAfterSeconds ?? RETRY_SECONDS) * SECOND);
}

function createdAt(post: ListedVideo): number {
  return (post.create_time ?? 0) * SECOND;
}

function postUrl(post: ListedVideo, job: Job): string | null {
  const profile = profileUrl(job.account.capabilities);
  return post.share_url ?? (profile && `${profile}/video/${post.id}`);
}

/** The time of the first check (ms). TikTok lists only public posts, and only after moderation. */
const FIRST_CHECK_MS = 15 * SECOND;
const SECOND_CHECK_MS = 75 * SECOND;
const LAST_CHECK_MS = 10 * MINUTE;
const CLOCK_TOLERANCE_MS = 10 * SECOND;
/** How many characters of a text TikTok lists. Shorter texts must be equal. */
const LISTED_TEXT_LENGTH = 150;
const COMPARED_TEXT_LENGTH = 120;

const NOT_LISTABLE: VerifyOutcome = {
  state: "cannot_tell",
  detail: "the login does not allow listing the account's posts",
};

/**
 * Looks for photos whose response with the publish id was lost. They are never sent again, because TikTok may have
 * posted them.
 */
async function verifyPhotos(client: PlatformClient, job: Job, commitRef: CommitRef): Promise<VerifyOutcome> {
  if (job.account.capabilities["mayList"] === false) {
    return NOT_LISTABLE;
  }
  const sentTexts = [job.caption, titleOf(job.options)].map(comparableText).filter((text) => text !== "");
  if (commitRef.postSettings === null || !isPublic(job.options) || sentTexts.length === 0) {
    return {
      state: "cannot_tell",
      detail: "TikTok lists only public posts, and without a text a post cannot be recognized",
    };
  }
  const since = job.committedAt ?? commitRef.sentAt ?? job.now;
  const elapsed = job.now - (job.lastCommittedAt ?? since);
  if (elapsed < FIRST_CHECK_MS) {
    return verifyAgainIn(FIRST_CHECK_MS - elapsed);
  }
  const response = await callApi(
    client,
    "/v2/video/list/?fields=id,title,video_description,create_time,share_url",
    job.account.accessToken,
    { max_count: 20 },
  );
  const list = isSuccess(response) ? parseBody(VideoList, response) : undefined;
  const fault = list || isSuccess(response) ? null : toFault(response);
  if (fault?.code === "missing_scope") {
    return NOT_LISTABLE;
  }
  if (fault?.kind === "reconnect") {
    return { state: "refused", fault };
  }
  const matches = (list?.data.videos ?? []).filter((post) =>
    isPublishedPost(post, sentTexts, since - CLOCK_TOLERANCE_MS),
  );
  const [first] = matches;
  if (first && matches.length === 1) {
    const profile = profileUrl(job.account.capabilities);
    return {
      state: "published",
      remoteId: first.id,
      url: first.share_url ?? (profile && `${profile}/photo/${first.id}`),
    };
  }
  if (first) {
    return { state: "cannot_tell", detail: "several posts match" };
  }
  if (elapsed < SECOND_CHECK_MS) {
    return verifyAgainIn(SECOND_CHECK_MS - elapsed);
  }
  return elapsed < LAST_CHECK_MS
    ? verifyAgainIn(LAST_CHECK_MS - elapsed)
    : { state: "cannot_tell", detail: "the post is not listed, which does not prove its absence" };
}

function isPublishedPost(post: ListedVideo, sentTexts: readonly string[], since: number): boolean {
  const isSince = (post.create_time ?? 0) * SECOND >= since;
  return isSince && hasSameText(post, sentTexts);
}

function hasSameText(post: ListedVideo, sentTexts: readonly string[]): boolean {
  const texts = [post.video_description, post.title].map(comparableText).filter((text) => text !== "");
  return texts.some((text) => sentTexts.some((sentText) => isSameText(text, sentText)));
}

function isSameText(listedText: string, sentText: string): boolean {
  const isTruncated = sentText.length > LISTED_TEXT_LENGTH && listedText.length >= COMPARED_TEXT_LENGTH;
  return listedText === sentText || (isTruncated && sentText.startsWith(listedText.slice(0, COMPARED_TEXT_LENGTH)));
}
