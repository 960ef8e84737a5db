import { comparableText } from "#platforms/comparable-text.ts";
import { MINUTE, SECOND } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import { type PlatformResponse, callPlatform, isOk, parseBody } from "#platforms/response.ts";
import type { Fault, Job, VerifyOutcome, PlatformClient } from "#platforms/contract.ts";
import { bearerHeader, withQuery } from "#platforms/request-encoding.ts";
import { type CandidateList, type ListedCandidate, notListed, verifyByRow } from "#platforms/verify-by-row.ts";
import { type PlaylistItem, PlaylistItems } from "./answers.ts";
import { toFault } from "./errors.ts";
import { API_URL } from "./hosts.ts";
import { titleOf } from "./prepare.ts";
import {
  processingOutcome,
  readProcessing,
  LAST_CHUNK_MAX_BYTES,
  querySession,
  findVideo,
  watchUrl,
} from "./upload.ts";
import { CommitRef } from "./refs.ts";

/** How often (s) to check while YouTube has all bytes and is creating the video. */
const POLL_SECONDS = 5;
const MIN_RETRY_SECONDS = 5;
const MAX_RETRY_SECONDS = 900;
/** How long (ms) a new upload may be missing from the list. YouTube lists uploads within minutes. */
const LISTING_LAG_MS = 5 * MINUTE;
const LIST_RETRY_SECONDS = 120;
const MAX_PAGES = 10;
const CLOCK_TOLERANCE_MS = 10 * SECOND;

/**
 * Finds the video by its id, then by the upload session. Only if YouTube no longer knows the session, it searches the
 * list of uploads. Then it reads how processing ended.
 */
export async function verify(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome> {
  if (ref === null) {
    const found = await verifyByRow(job, {
      listedAfterMs: LISTING_LAG_MS,
      list: (since) => listCandidates(client, job, since),
      decideNone: notListed,
    });
    return await withProcessing(client, job, found);
  }
  const commitRef = CommitRef.parse(ref);
  if (commitRef.videoId !== null) {
    return await readProcessing(client, job, commitRef.videoId);
  }
  const media = findVideo(job);
  if (!media) {
    return { state: "cannot_tell", detail: "the post has no video" };
  }
  const { session, httpStatus } = await querySession(client, job, media, commitRef.sessionUrl);
  switch (session.state) {
    case "complete": {
      // The session shows that the upload has ended, but not how processing ended.
      const uploaded = processingOutcome(job, session.video, httpStatus);
      return uploaded.state === "again" ? await readProcessing(client, job, session.video.id) : uploaded;
    }
    case "incomplete":
      return incompleteOutcome(job, commitRef, session.offset, media.sizeBytes);
    case "gone":
      return await withProcessing(client, job, await findInUploads(client, job, commitRef));
    case "refused":
      return retryOutcome(job, commitRef, session.fault);
    case "unclear":
      return retryOutcome(job, commitRef, null);
  }
}

/** Reads how processing ended, because uploads are listed before they are processed. */
async function withProcessing(client: PlatformClient, job: Job, found: VerifyOutcome): Promise<VerifyOutcome> {
  return found.state === "published" ? await readProcessing(client, job, found.remoteId) : found;
}

function publishedOutcome(id: string): VerifyOutcome {
  return { state: "published", remoteId: id, url: watchUrl(id) };
}

/**
 * The outcome if YouTube lacks bytes. They can always be sent again: bytes that arrive twice in a session still create
 * one video.
 */
function incompleteOutcome(job: Job, commitRef: CommitRef, offset: number, totalBytes: number): VerifyOutcome {
  if (offset >= totalBytes) {
    return { state: "again", afterSeconds: POLL_SECONDS, isProcessing: true };
  }
  if (offset === commitRef.offset) {
    return { state: "absent" };
  }
  return totalBytes - offset > LAST_CHUNK_MAX_BYTES
    ? { state: "stale", detail: "YouTube lost most of the upload" }
    : { state: "more", ref: { ...commitRef, offset }, progress: job.progress };
}

/**
 * The outcome if YouTube cannot be asked. An upload session is valid for days, so an outage is retried with growing
 * waits.
 */
function retryOutcome(job: Job, commitRef: CommitRef, fault: Fault | null): VerifyOutcome {
  if (fault?.kind === "reconnect") {
    return { state: "refused", fault };
  }
  const elapsedSeconds = Math.ceil(elapsedMs(job, commitRef) / SECOND);
  const afterSeconds = Math.min(MAX_RETRY_SECONDS, Math.max(MIN_RETRY_SECONDS, 3 * elapsedSeconds));
  return { state: "again", afterSeconds: fault?.retryAfterSeconds ?? afterSeconds, isProcessing: false };
}

function elapsedMs(job: Job, commitRef: CommitRef): number {
  return job.now - Math.max(job.lastCommittedAt ?? 0, commitRef.sentAt ?? 0, commitRef.startedAt);
}

async function findInUploads(client: PlatformClient, job: Job, commitRef: CommitRef): Promise<VerifyOutcome> {
  const response = await readUploads(client, job);
  const list = isOk(response) ? parseBody(PlaylistItems, response) : undefined;
  if (!list) {
    return retryOutcome(job, commitRef, isOk(response) ? null : toFault(response, job.now));
  }
  const matches = (list.items ?? []).flatMap((item) =>
    isPublishedVideo(item, job, commitRef) ? (videoIdOf(item) ?? []) : [],
  );
  const [first] = matches;
  if (first !== undefined && matches.length === 1) {
    return publishedOutcome(first);
  }
  if (first !== undefined) {
    return { state: "cannot_tell", detail: "several uploads match the post" };
  }
  return elapsedMs(job, commitRef) < LISTING_LAG_MS
    ? { state: "again", afterSeconds: LIST_RETRY_SECONDS, isProcessing: false }
    : { state: "cannot_tell", detail: "YouTube no longer knows the upload and does not list the video" };
}

/**
 * The playlist with the channel's uploads. If the channel's data lack it, it follows from the channel's id, which
 * differs only in the prefix.
 */
function uploadsPlaylistId(job: Job): string {
  const { uploads } = job.account.capabilities;
  return typeof uploads === "string" ? uploads : job.account.platformAccountId.replace(/^UC/, "UU");
}

function videoIdOf(item: PlaylistItem): string | null {
  return item.contentDetails?.videoId ?? item.snippet?.resourceId?.videoId ?? null;
}

/**
 * Lists the channel's uploads since `since`. Title and description identify a video, because YouTube does not name the
 * app that uploaded it.
 */
async function listCandidates(client: PlatformClient, job: Job, since: number): Promise<CandidateList> {
  const candidates: ListedCandidate[] = [];
  let pageToken: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const response = await readUploads(client, job, pageToken);
    const list = isOk(response) ? parseBody(PlaylistItems, response) : undefined;
    if (!list) {
      const fault = isOk(response) ? null : toFault(response, job.now);
      return {
        ok: false,
        outcome:
          fault?.kind === "reconnect"
            ? { state: "refused", fault }
            : { state: "again", afterSeconds: fault?.retryAfterSeconds ?? LIST_RETRY_SECONDS, isProcessing: false },
      };
    }
    const items = list.items ?? [];
    for (const item of items) {
      const id = videoIdOf(item);
      if (id !== null && publishedAt(item) >= since) {
        candidates.push({ id, url: watchUrl(id), isMatch: hasSameTexts(item, job) });
      }
    }
    pageToken = list.nextPageToken ?? undefined;
    // YouTube lists uploads newest first, so stop at the first one that is too old.
    if (pageToken === undefined || items.some((item) => publishedAt(item) < since)) {
      return { ok: true, candidates };
    }
  }
  return { ok: false, outcome: { state: "again", afterSeconds: LIST_RETRY_SECONDS, isProcessing: false } };
}

async function readUploads(client: PlatformClient, job: Job, pageToken?: string): Promise<PlatformResponse> {
  const url = withQuery(`${API_URL}/playlistItems`, {
    part: "snippet,contentDetails,status",
    playlistId: uploadsPlaylistId(job),
    maxResults: 50,
    pageToken,
  });
  return await callPlatform(client, url, { headers: bearerHeader(job.account.accessToken) });
}

function publishedAt(item: PlaylistItem): number {
  return Date.parse(item.contentDetails?.videoPublishedAt ?? item.snippet?.publishedAt ?? "");
}

function hasSameTexts(item: PlaylistItem, job: Job): boolean {
  return (
    comparableText(item.snippet?.title) === comparableText(titleOf(job)) &&
    comparableText(item.snippet?.description) === comparableText(job.caption)
  );
}

function isPublishedVideo(item: PlaylistItem, job: Job, commitRef: CommitRef): boolean {
  return publishedAt(item) >= commitRef.startedAt - CLOCK_TOLERANCE_MS && hasSameTexts(item, job);
}
