import { comparableText } from "#platforms/comparable-text.ts";
import { MINUTE, SECOND } from "#core/clock.ts";
import { parseBody } from "#platforms/response.ts";
import type { Job, VerifyOutcome, PlatformClient } from "#platforms/contract.ts";
import { verifyAgainIn } from "#platforms/verify-again.ts";
import { type ListedVideo, VideoList } from "./answers.ts";
import { callApi, isSuccess } from "./api.ts";
import { profileUrl } from "./connect.ts";
import { toFault } from "./errors.ts";
import { isPublic, titleOf } from "./options.ts";
import type { CommitRef } from "./refs.ts";

/** TikTok lists public posts only, and only after moderation. */
const FIRST_CHECK_MS = 15 * SECOND;
const SECOND_CHECK_MS = 75 * SECOND;
export const LAST_CHECK_MS = 10 * MINUTE;
const CLOCK_TOLERANCE_MS = 10 * SECOND;
/** TikTok truncates listed texts; texts shorter than this must be equal. */
const LISTED_TEXT_LENGTH = 150;
const COMPARED_TEXT_LENGTH = 120;

export const NOT_LISTABLE: VerifyOutcome = {
  state: "cannot_tell",
  detail: "the login does not allow listing the account's posts",
};

/** Used when the response with the publish id was lost: TikTok may have posted the photos, so they are searched for and never sent again. */
export async function verifyPhotos(client: PlatformClient, job: Job, commitRef: CommitRef): Promise<VerifyOutcome> {
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

export function hasSameText(post: ListedVideo, sentTexts: readonly string[]): boolean {
  const texts = [post.video_description, post.title].map(comparableText).filter((text) => text !== "");
  return texts.some((text) => sentTexts.some((sentText) => isSameText(text, sentText)));
}

function isSameText(listedText: string, sentText: string): boolean {
  const isTruncated = sentText.length > LISTED_TEXT_LENGTH && listedText.length >= COMPARED_TEXT_LENGTH;
  return listedText === sentText || (isTruncated && sentText.startsWith(listedText.slice(0, COMPARED_TEXT_LENGTH)));
}
