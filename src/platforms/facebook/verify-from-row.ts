import { SECOND } from "#core/clock.ts";
import { comparableText } from "#platforms/comparable-text.ts";
import type { Job, PlatformClient, VerifyOutcome } from "#platforms/contract.ts";
import { parseBody } from "#platforms/response.ts";
import { verifyAgainIn } from "#platforms/verify-again.ts";
import { absentIfNothingElse, type CandidateList, notListed, verifyByRow } from "#platforms/verify-by-row.ts";
import { type ListedPost, PostList, VideoList } from "./answers.ts";
import { hasOwnLabel } from "./commit.ts";
import { absolutePermalink } from "./permalink.ts";
import { createCommitRef } from "./refs.ts";
import { ABSENT_AFTER_MS, listSince, POST_FIELDS, VIDEO_FIELDS } from "./verify-feed.ts";
import { verifyVideo } from "./verify-video.ts";

const RETRY_SECONDS = 60;

/** A lookup without a reference: posts are recognized by app, text and number of photos, videos by label or text. */
export async function verifyFromRow(client: PlatformClient, job: Job): Promise<VerifyOutcome> {
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
    // A video that is still processed may be listed later.
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
              // The Page's owner may have published the same text by hand.
              post.application?.id === job.account.app.clientId &&
              comparableText(post.message) === comparableText(job.caption) &&
              hasSamePhotoCount(post, job),
          })),
      }
    : UNREADABLE;
}

/** Facebook does not always name the photos, and names the preview of a link as an attachment too. */
function hasSamePhotoCount(post: ListedPost, job: Job): boolean {
  const attachments = post.attachments?.data ?? [];
  const photos = attachments.flatMap((attachment) => attachment.subattachments?.data ?? [attachment]);
  return photos.length === 0 || photos.length === job.media.length || (job.media.length === 0 && photos.length === 1);
}

async function listVideos(client: PlatformClient, job: Job, since: number, isReel: boolean): Promise<CandidateList> {
  const listed = await listSince(client, job, {
    // Reels too.
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
            // The label is the post's own; reels cannot have one.
            isMatch: isReel
              ? comparableText(video.description) === comparableText(job.caption)
              : hasOwnLabel(video, job),
          })),
      }
    : UNREADABLE;
}

const UNREADABLE: CandidateList = { ok: false, outcome: verifyAgainIn(RETRY_SECONDS * SECOND) };
