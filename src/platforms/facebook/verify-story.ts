import { SECOND } from "#core/clock.ts";
import type { Job, PlatformClient, VerifyOutcome } from "#platforms/contract.ts";
import { verifyAgainIn } from "#platforms/verify-again.ts";
import type { CommitRef } from "./refs.ts";
import { findStory, type StorySearch } from "./stories.ts";
import { verifyVideo } from "./verify-video.ts";

const FIRST_CHECK_MS = 10 * SECOND;
const SECOND_CHECK_MS = 60 * SECOND;
const LAST_CHECK_MS = 180 * SECOND;
/** By then a published story is listed, where its Page lists stories at all. */
const LISTED_AFTER_MS = 30 * SECOND;
const RETRY_SECONDS = 60;
const LISTING_RETRY_SECONDS = 10;
const NOT_LISTED = "the Page's list of stories lacks it, which proves nothing without an archive";

/**
 * A story is recognized by the id of its photo or video. The list needs the Page's archive of stories ("you must turn your Facebook
 * story archive on", developers.facebook.com/docs/page-stories-api), so a story that it lacks may be published all the same, and
 * none is ever sent again.
 */
export async function verifyStory(client: PlatformClient, job: Job, commitRef: CommitRef): Promise<VerifyOutcome> {
  const committedAt = job.committedAt ?? commitRef.sentAt ?? job.now;
  const elapsed = job.now - Math.max(job.lastCommittedAt ?? committedAt, commitRef.sentAt ?? 0);
  const look = (mediaId: string) => findStory(client, job, mediaId, committedAt);
  return commitRef.videoId === null
    ? await verifyPhotoStory(commitRef.photos[0] ?? "", elapsed, look)
    : await verifyVideoStory(client, job, commitRef, commitRef.videoId, elapsed, look);
}

/** Nothing but the list tells of a photo. */
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

/** The status of the video tells whether it was published, as for a reel; the list has the id and the address of the story. */
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
