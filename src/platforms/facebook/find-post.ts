import { MINUTE, SECOND } from "#core/clock.ts";
import { comparableText } from "#platforms/comparable-text.ts";
import type { Job, VerifyOutcome, PlatformClient } from "#platforms/contract.ts";
import { rejected } from "#platforms/fault.ts";
import { graphError, graphGet, nextCursor, type Paging } from "#platforms/graph-api.ts";
import { isOk, parseBody, type PlatformResponse } from "#platforms/response.ts";
import { verifyAgainIn } from "#platforms/verify-again.ts";
import { Video, type ListedPost, PostList, VideoList } from "./answers.ts";
import { hasOwnLabel } from "./commit.ts";
import { videoFault, DUPLICATE_CODE } from "./errors.ts";
import { graphUrl, absolutePermalink } from "./hosts.ts";
import type { CommitRef } from "./refs.ts";

const POLL_SECONDS = 5;
const SLOW_POLL_SECONDS = 30;
const FAST_POLLING_MS = 2 * MINUTE;
/** If a video's publishing has not begun by this time (ms), the visible call did not arrive. */
const VIDEO_ABSENT_AFTER_MS = 55 * SECOND;
/** The same limit (ms) while Facebook is processing the video. Processing precedes publishing and takes longer. */
const ABSENT_WHILE_PROCESSING_AFTER_MS = 10 * MINUTE;
/**
 * The same limit (ms) for a timeline video. Its last call may take minutes to act ("The video should be downloaded
 * within 5 minutes", developers.facebook.com/docs/graph-api/video-uploads).
 */
const ABSENT_TIMELINE_AFTER_MS = 6 * MINUTE;

/** Finds out from a video's status whether it is published. The id is known before the video is visible. */
export async function verifyVideo(
  client: PlatformClient,
  job: Job,
  commitRef: CommitRef,
  videoId: string,
): Promise<VerifyOutcome> {
  const elapsed = job.now - Math.max(job.lastCommittedAt ?? job.now, commitRef.sentAt ?? 0);
  const response = await graphGet(
    client,
    `${graphUrl(job.account.app)}/${encodeURIComponent(videoId)}`,
    job.account.accessToken,
    {
      fields: "status,published,permalink_url",
    },
  );
  const video = isOk(response) ? parseBody(Video, response) : undefined;
  if (!video) {
    const error = graphError(response);
    const isGone = error?.code === 100 && error.subcode === 33 && elapsed > ABSENT_WHILE_PROCESSING_AFTER_MS;
    return isGone
      ? { state: "cannot_tell", detail: "Facebook no longer knows the video" }
      : { state: "again", afterSeconds: RETRY_SECONDS, isProcessing: commitRef.accepted };
  }
  return videoOutcome(video, commitRef, videoId, elapsed);
}

function videoOutcome(video: Video, commitRef: CommitRef, videoId: string, elapsed: number): VerifyOutcome {
  const {
    video_status: videoStatus,
    processing_phase: processing,
    publishing_phase: publishing,
    uploading_phase: uploading,
  } = video.status ?? {};
  const isPublished =
    isDone(publishing?.status) || publishing?.publish_status === "published" || video.published === true;
  if (videoStatus === "ready" && isPublished && video.published !== false) {
    return { state: "published", remoteId: videoId, url: videoUrl(video, commitRef, videoId) };
  }
  const failedPhase = [processing, publishing, uploading].find((phase) => phase?.status === "error");
  if (failedPhase || videoStatus === "error" || videoStatus === "upload_failed") {
    const error = failedPhase?.error ?? failedPhase?.errors?.[0];
    return { state: "refused", fault: videoFault(error?.code ?? null, error?.message ?? "") };
  }
  if (videoStatus === "expired") {
    return { state: "stale", detail: "the upload has expired" };
  }
  if (videoStatus === "ready" && commitRef.kind === "video") {
    if (video.published === false) {
      return elapsed > VIDEO_ABSENT_AFTER_MS
        ? { state: "refused", fault: BECAME_DRAFT_FAULT }
        : verifyAgain(elapsed, true);
    }
    if (!publishing) {
      return { state: "published", remoteId: videoId, url: videoUrl(video, commitRef, videoId) };
    }
  }
  if (commitRef.accepted || isInProgress(publishing?.status)) {
    return verifyAgain(elapsed, true);
  }
  const isProcessing = isInProgress(processing?.status) || isDone(processing?.status);
  const limitMs = isProcessing
    ? ABSENT_WHILE_PROCESSING_AFTER_MS
    : commitRef.kind === "video"
      ? ABSENT_TIMELINE_AFTER_MS
      : VIDEO_ABSENT_AFTER_MS;
  // Facebook publishes a video only once, so its finish call can safely be repeated.
  return elapsed > limitMs ? { state: "absent" } : verifyAgain(elapsed, isProcessing, limitMs);
}

function videoUrl(video: Video, commitRef: CommitRef, videoId: string): string {
  // A timeline video may be listed as a reel, so the permalink decides.
  return (
    absolutePermalink(video.permalink_url) ??
    `https://www.facebook.com/${commitRef.kind === "reel" ? `reel/${videoId}` : videoId}`
  );
}

function isDone(status: string | null | undefined): boolean {
  return status === "complete" || status === "completed";
}

function isInProgress(status: string | null | undefined): boolean {
  return status === "in_progress";
}

function verifyAgain(elapsed: number, isProcessing: boolean, limitMs = VIDEO_ABSENT_AFTER_MS): VerifyOutcome {
  if (!isProcessing) {
    return {
      state: "again",
      afterSeconds: Math.min(SLOW_POLL_SECONDS, Math.max(1, Math.ceil((limitMs + SECOND - elapsed) / SECOND / 2))),
      isProcessing,
    };
  }
  return {
    state: "again",
    afterSeconds: elapsed < FAST_POLLING_MS ? POLL_SECONDS : SLOW_POLL_SECONDS,
    isProcessing,
  };
}

const BECAME_DRAFT_FAULT = rejected(
  "Facebook saved the video as a draft of the Page. Publish it there, or schedule it again as a reel.",
  { httpStatus: 200 },
  { code: "became_draft", category: "platform" },
);

const FIRST_CHECK_MS = 10 * SECOND;
const SECOND_CHECK_MS = 60 * SECOND;
/** How long (ms) a post must be missing from the list. `absent` needs three checks within three minutes. */
export const ABSENT_AFTER_MS = 180 * SECOND;
const CLOCK_TOLERANCE_MS = 60 * SECOND;
const RETRY_SECONDS = 60;
const PAGE_SIZE = 100;
const MAX_PAGES = 10;
export const POST_FIELDS =
  "id,message,created_time,permalink_url,application{id},attachments{target{id},subattachments.limit(20){target{id}}}";
export const VIDEO_FIELDS = "id,description,created_time,custom_labels,permalink_url";

type SearchResult =
  | { readonly state: "found"; readonly id: string; readonly url: string | null }
  | { readonly state: "none" | "similar" | "unreadable" };

/** Finds a post whose id is unknown among those that the Page has published since. */
export async function verifyFeed(client: PlatformClient, job: Job, commitRef: CommitRef): Promise<VerifyOutcome> {
  const committedAt = job.committedAt ?? commitRef.sentAt ?? job.now;
  const elapsed = job.now - Math.max(job.lastCommittedAt ?? committedAt, commitRef.sentAt ?? 0);
  if (elapsed < FIRST_CHECK_MS) {
    return verifyAgainIn(FIRST_CHECK_MS - elapsed);
  }
  const since = committedAt - CLOCK_TOLERANCE_MS;
  const match =
    commitRef.kind === "video" ? await findVideo(client, job, since) : await findPost(client, job, commitRef, since);
  if (match.state === "found") {
    return commitRef.kind === "video"
      ? await verifyVideo(client, job, { ...commitRef, accepted: true }, match.id)
      : { state: "published", remoteId: match.id, url: match.url ?? `https://www.facebook.com/${match.id}` };
  }
  if (match.state === "unreadable") {
    return { state: "again", afterSeconds: RETRY_SECONDS, isProcessing: false };
  }
  const nextCheckMs = [SECOND_CHECK_MS, ABSENT_AFTER_MS].find((checkMs) => elapsed < checkMs);
  if (nextCheckMs !== undefined) {
    return verifyAgainIn(nextCheckMs - elapsed);
  }
  if (match.state === "similar" || commitRef.sendCount > 1) {
    return {
      state: "cannot_tell",
      detail: match.state === "similar" ? "a very similar post exists" : "sent twice and not found",
    };
  }
  if (commitRef.duplicate) {
    const message = "Facebook refused the post: the Page has just published the same post.";
    return {
      state: "refused",
      fault: rejected(
        message,
        { httpStatus: 400, platformCode: "506" },
        { code: DUPLICATE_CODE, category: "duplicate" },
      ),
    };
  }
  return { state: "absent" };
}

interface ListedItems<T> {
  readonly items: readonly T[];
  /** Whether the list has all posts since then. An incomplete list does not prove that a post is absent. */
  readonly isComplete: boolean;
}

interface ListQuery<T> {
  readonly edge: string;
  readonly fields: string;
  readonly since: number;
  readonly readPage: (
    response: PlatformResponse,
  ) => { readonly data: readonly T[]; readonly paging?: Paging } | undefined;
}

/** Lists what the Page has published since then, newest first. */
export async function listSince<T extends { readonly created_time?: string | null | undefined }>(
  client: PlatformClient,
  job: Job,
  { edge, fields, since, readPage }: ListQuery<T>,
): Promise<ListedItems<T> | undefined> {
  const items: T[] = [];
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const url = `${graphUrl(job.account.app)}/${encodeURIComponent(job.account.platformAccountId)}/${edge}`;
    const response = await graphGet(client, url, job.account.accessToken, {
      fields,
      since: Math.floor((since - CLOCK_TOLERANCE_MS) / SECOND),
      limit: PAGE_SIZE,
      after,
    });
    const list = isOk(response) ? readPage(response) : undefined;
    if (!list) {
      return undefined;
    }
    items.push(...list.data);
    after = nextCursor(list.paging);
    const oldest = Date.parse(list.data.at(-1)?.created_time ?? "");
    if (after === undefined || oldest < since - CLOCK_TOLERANCE_MS) {
      return { items, isComplete: true };
    }
  }
  return { items, isComplete: false };
}

async function findPost(client: PlatformClient, job: Job, commitRef: CommitRef, since: number): Promise<SearchResult> {
  const listed = await listSince(client, job, {
    edge: "published_posts",
    fields: POST_FIELDS,
    since,
    readPage: (response) => parseBody(PostList, response),
  });
  if (!listed) {
    return { state: "unreadable" };
  }
  const withOurPhotos = listed.items.find((post) =>
    attachmentTargetIds(post).some((id) => commitRef.photos.includes(id)),
  );
  // The photos' ids identify the post. If the list does not contain them, compare the text.
  const match = withOurPhotos
    ? toFoundResult(withOurPhotos)
    : matchByText(
        listed.items.filter((post) => commitRef.photos.length === 0 || attachmentTargetIds(post).length === 0),
        job,
        since,
      );
  return match.state === "found" || listed.isComplete ? match : { state: "unreadable" };
}

function attachmentTargetIds(post: ListedPost): readonly string[] {
  const attachments = post.attachments?.data ?? [];
  return attachments
    .flatMap((attachment) => [attachment, ...(attachment.subattachments?.data ?? [])])
    .flatMap((attachment) => attachment.target?.id ?? []);
}

/**
 * Finds a post by its text. Only posts of our app match, because the Page's owner may have published the same text by
 * hand.
 */
function matchByText(posts: readonly ListedPost[], job: Job, since: number): SearchResult {
  const sameText = posts.filter(
    (post) =>
      comparableText(post.message ?? "") === comparableText(job.caption) &&
      Date.parse(post.created_time ?? "") >= since,
  );
  const [ownPost, ...others] = sameText.filter((post) => post.application?.id === job.account.app.clientId);
  if (ownPost && others.length === 0) {
    return toFoundResult(ownPost);
  }
  return { state: sameText.length > 0 ? "similar" : "none" };
}

function toFoundResult(post: ListedPost): SearchResult {
  return { state: "found", id: post.id, url: absolutePermalink(post.permalink_url) };
}

async function findVideo(client: PlatformClient, job: Job, since: number): Promise<SearchResult> {
  const listed = await listSince(client, job, {
    edge: "videos",
    fields: VIDEO_FIELDS,
    since,
    readPage: (response) => parseBody(VideoList, response),
  });
  const labelled = listed?.items.find((video) => hasOwnLabel(video, job));
  if (labelled) {
    return { state: "found", id: labelled.id, url: absolutePermalink(labelled.permalink_url) };
  }
  if (!listed?.isComplete) {
    return { state: "unreadable" };
  }
  const isSimilar = listed.items.some(
    (video) =>
      comparableText(video.description ?? "") === comparableText(job.caption) &&
      Date.parse(video.created_time ?? "") >= since,
  );
  return { state: isSimilar ? "similar" : "none" };
}
