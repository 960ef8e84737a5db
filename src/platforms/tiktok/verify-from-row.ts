import { SECOND } from "#core/clock.ts";
import { comparableText } from "#platforms/comparable-text.ts";
import type { Job, PlatformClient, VerifyOutcome } from "#platforms/contract.ts";
import { parseBody } from "#platforms/response.ts";
import { verifyAgainIn } from "#platforms/verify-again.ts";
import { type CandidateList, type ListedCandidate, notListed, verifyByRow } from "#platforms/verify-by-row.ts";
import { type ListedVideo, VideoList } from "./answers.ts";
import { callApi, isSuccess } from "./api.ts";
import { profileUrl } from "./connect.ts";
import { toFault } from "./errors.ts";
import { isDraft, isPublic } from "./options.ts";
import { hasSameText, LAST_CHECK_MS, NOT_LISTABLE } from "./verify-photos.ts";

const PAGE_SIZE = 20;
const MAX_PAGES = 10;
const RETRY_SECONDS = 60;

/** A lookup without a publish id: only public videos are listed, and only for logins that may list. */
export async function verifyFromRow(client: PlatformClient, job: Job): Promise<VerifyOutcome> {
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
    // Posts are listed newest first.
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
