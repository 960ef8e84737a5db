import { SECOND } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import { comparableText } from "#platforms/comparable-text.ts";
import type { Job, VerifyOutcome, PlatformClient } from "#platforms/contract.ts";
import { parseBody } from "#platforms/response.ts";
import { isStory } from "#platforms/story.ts";
import { verifyAgainIn } from "#platforms/verify-again.ts";
import { absentIfNothingElse, type CandidateList, notListed, verifyByRow } from "#platforms/verify-by-row.ts";
import { type ListedPost, PostList, VideoList } from "./answers.ts";
import { hasOwnLabel, findStory, type StorySearch } from "./commit.ts";
import { verifyFeed, verifyVideo, ABSENT_AFTER_MS, listSince, POST_FIELDS, VIDEO_FIELDS } from "./find-post.ts";
import { absolutePermalink } from "./hosts.ts";
import { CommitRef, createCommitRef } from "./refs.ts";

export async function verify(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome> {
  if (ref === null) {
    return isStory(job.options)
      ? { state: "cannot_tell", detail: "a story has no text by which it could be told from others of the Page" }
      : await verifyFromRow(client, job);
  }
  const commitRef = CommitRef.parse(ref);
  if (commitRef.kind === "story") {
    return await verifyStory(client, job, commitRef);
  }
  return commitRef.videoId === null
    ? await verifyFeed(client, job, commitRef)
    : await verifyVideo(client, job, commitRef, commitRef.videoId);
}

const RETRY_SECONDS = 60;

/**
 * Finds a post without a reference: app, text and number of photos identify a post, and label or text identify a video.
 */
async function verifyFromRow(client: PlatformClient, job: Job): Promise<VerifyOutcome> {
  if (job.media[0]?.type !== "video") {
    return await verifyByRow(job, {
      listedAfterMs: ABSENT_AFTER_MS,
      list: (since) => listPosts(client, job, since),
      decideNone: absentIfNothingElse,
    });
  }
  const isReel = job.options["placement"] !== "timeline";
  const found = await verifyByRow(job, {
    listedAfterMs: ABSENT_AFTER_MS,
    list: (since) => listVideos(client, job, since, isReel),
    // The list may show a video only after Facebook has processed it.
    decideNone: notListed,
  });
  return found.state === "published"
    ? await verifyVideo(
        client,
        job,
        createCommitRef(isReel ? "reel" : "video", { videoId: found.remoteId, accepted: true }),
        found.remoteId,
      )
    : found;
}

async function listPosts(client: PlatformClient, job: Job, since: number): Promise<CandidateList> {
  const listed = await listSince(client, job, {
    edge: "published_posts",
    fields: POST_FIELDS,
    since,
    readPage: (response) => parseBody(PostList, response),
  });
  return listed?.isComplete
    ? {
        ok: true,
        candidates: listed.items
          .filter((post) => Date.parse(post.created_time ?? "") >= since)
          .map((post) => ({
            id: post.id,
            url: absolutePermalink(post.permalink_url) ?? `https://www.facebook.com/${post.id}`,
            isMatch:
              // Only posts of our app match, because the Page's owner may have published the same text by hand.
              post.application?.id === job.account.app.clientId &&
              comparableText(post.message) === comparableText(job.caption) &&
              hasSamePhotoCount(post, job),
          })),
      }
    : UNREADABLE;
}

/**
 * Whether a listed post has as many photos. Facebook does not always list them, and it counts the preview of a link as
 * an attachment.
 */
function hasSamePhotoCount(post: ListedPost, job: Job): boolean {
  const attachments = post.attachments?.data ?? [];
  const photos = attachments.flatMap((attachment) => attachment.subattachments?.data ?? [attachment]);
  return photos.length === 0 || photos.length === job.media.length || (job.media.length === 0 && photos.length === 1);
}

async function listVideos(client: PlatformClient, job: Job, since: number, isReel: boolean): Promise<CandidateList> {
  const listed = await listSince(client, job, {
    // The edge `videos` also lists reels.
    edge: "videos",
    fields: VIDEO_FIELDS,
    since,
    readPage: (response) => parseBody(VideoList, response),
  });
  return listed?.isComplete
    ? {
        ok: true,
        candidates: listed.items
          .filter((video) => Date.parse(video.created_time ?? "") >= since)
          .map((video) => ({
            id: video.id,
            url: absolutePermalink(video.permalink_url),
            // The label belongs to this post alone, but reels cannot have one.
            isMatch: isReel
              ? comparableText(video.description) === comparableText(job.caption)
              : hasOwnLabel(video, job),
          })),
      }
    : UNREADABLE;
}

const UNREADABLE: CandidateList = { ok: false, outcome: verifyAgainIn(RETRY_SECONDS * SECOND) };

const FIRST_CHECK_MS = 10 * SECOND;
const SECOND_CHECK_MS = 60 * SECOND;
const LAST_CHECK_MS = 180 * SECOND;
/** By this time (ms) Facebook lists a published story, if the Page lists stories at all. */
const LISTED_AFTER_MS = 30 * SECOND;
const LISTING_RETRY_SECONDS = 10;
const NOT_LISTED = "the Page's list of stories lacks it, which proves nothing without an archive";

/**
 * Finds a story by the id of its photo or video. The list works only with the Page's story archive ("you must turn your
 * Facebook story archive on", developers.facebook.com/docs/page-stories-api). So a missing story may still be
 * published, and the publisher never sends one again.
 */
async function verifyStory(client: PlatformClient, job: Job, commitRef: CommitRef): Promise<VerifyOutcome> {
  const committedAt = job.committedAt ?? commitRef.sentAt ?? job.now;
  const elapsed = job.now - Math.max(job.lastCommittedAt ?? committedAt, commitRef.sentAt ?? 0);
  const look = (mediaId: string) => findStory(client, job, mediaId, committedAt);
  return commitRef.videoId === null
    ? await verifyPhotoStory(commitRef.photos[0] ?? "", elapsed, look)
    : await verifyVideoStory(client, job, commitRef, commitRef.videoId, elapsed, look);
}

/** Finds a story with a photo. Only the list can show it. */
async function verifyPhotoStory(
  photoId: string,
  elapsed: number,
  look: (mediaId: string) => Promise<StorySearch>,
): Promise<VerifyOutcome> {
  if (elapsed < FIRST_CHECK_MS) {
    return verifyAgainIn(FIRST_CHECK_MS - elapsed);
  }
  const story = await look(photoId);
  if (story.state === "found") {
    return { state: "published", remoteId: story.id ?? photoId, url: story.url };
  }
  if (story.state === "unreadable") {
    return { state: "again", afterSeconds: RETRY_SECONDS, isProcessing: false };
  }
  const nextCheckMs = [SECOND_CHECK_MS, LAST_CHECK_MS].find((checkMs) => elapsed < checkMs);
  return nextCheckMs === undefined
    ? { state: "cannot_tell", detail: NOT_LISTED }
    : verifyAgainIn(nextCheckMs - elapsed);
}

/**
 * Finds a story with a video. The video's status shows whether it is published, as for a reel; the list has the story's
 * id and address.
 */
async function verifyVideoStory(
  client: PlatformClient,
  job: Job,
  commitRef: CommitRef,
  videoId: string,
  elapsed: number,
  look: (mediaId: string) => Promise<StorySearch>,
): Promise<VerifyOutcome> {
  const outcome = await verifyVideo(client, job, commitRef, videoId);
  const isFinal = outcome.state === "refused" || outcome.state === "stale";
  if (isFinal || (outcome.state === "again" && elapsed < LISTED_AFTER_MS)) {
    return outcome;
  }
  const story = await look(videoId);
  if (story.state === "found") {
    return { state: "published", remoteId: story.id ?? commitRef.storyId ?? videoId, url: story.url };
  }
  if (outcome.state === "published") {
    return commitRef.storyId || elapsed >= LISTED_AFTER_MS
      ? { state: "published", remoteId: commitRef.storyId ?? videoId, url: null }
      : { state: "again", afterSeconds: LISTING_RETRY_SECONDS, isProcessing: true };
  }
  return outcome.state === "absent" ? { state: "cannot_tell", detail: NOT_LISTED } : outcome;
}
