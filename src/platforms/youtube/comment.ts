import { callPlatform, isOk, parseBody } from "#platforms/response.ts";
import type { Job, PlatformClient, Result } from "#platforms/contract.ts";
import { failed, rejected, succeeded, temporary } from "#platforms/fault.ts";
import { firstComment, type ListedComment } from "#platforms/first-comment.ts";
import { bearerHeader, postJson, withQuery } from "#platforms/request-encoding.ts";
import { CommentThread, CommentThreads } from "./answers.ts";
import { toFault } from "./errors.ts";
import { API_URL } from "./hosts.ts";
import { watchUrl } from "./upload-session.ts";

/*
 * `commentThreads.insert` and `.list` (developers.google.com/youtube/v3/docs/commentThreads): 50 units and 1. Nothing tells two
 * equal calls apart.
 */

const COMMENTS_URL = `${API_URL}/commentThreads`;
const PAGE_SIZE = 100;
const MAX_PAGES = 5;
/** A comment that YouTube keeps back is in no list but that of its state. */
const STATES = ["published", "heldForReview", "likelySpam"] as const;

export const comment = firstComment({
  send: async (client, job, post, text) => {
    const response = await callPlatform(
      client,
      withQuery(COMMENTS_URL, { part: "snippet" }),
      postJson(
        {
          snippet: {
            channelId: job.account.platformAccountId,
            videoId: post.id,
            topLevelComment: { snippet: { textOriginal: text } },
          },
        },
        bearerHeader(job.account.accessToken),
      ),
    );
    if (!isOk(response)) {
      return failed(toFault(response, job.now));
    }
    const thread = parseBody(CommentThread, response);
    return thread ? succeeded({ id: thread.id, url: commentUrl(post.id, thread.id) }) : null;
  },
  list: async (client, job, post) => {
    const comments: ListedComment[] = [];
    for (const state of STATES) {
      const listed = await listInState(client, job, post.id, state);
      if (!listed.ok) {
        return listed;
      }
      comments.push(...listed.value.map((thread) => toListedComment(job, post.id, thread)));
    }
    return succeeded(comments);
  },
});

async function listInState(
  client: PlatformClient,
  job: Job,
  videoId: string,
  moderationStatus: (typeof STATES)[number],
): Promise<Result<readonly CommentThread[]>> {
  const found: CommentThread[] = [];
  let pageToken: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const response = await callPlatform(
      client,
      withQuery(COMMENTS_URL, {
        part: "snippet",
        videoId,
        moderationStatus,
        order: "time",
        textFormat: "plainText",
        maxResults: PAGE_SIZE,
        pageToken,
      }),
      { headers: bearerHeader(job.account.accessToken) },
    );
    if (!isOk(response)) {
      return failed(toFault(response, job.now));
    }
    const list = parseBody(CommentThreads, response);
    if (!list) {
      return failed(temporary("YouTube did not list the comments.", { httpStatus: response.status }));
    }
    found.push(...(list.items ?? []));
    pageToken = list.nextPageToken ?? undefined;
    if (pageToken === undefined) {
      return succeeded(found);
    }
  }
  return failed(rejected("The video has too many comments to look for this one.", { httpStatus: null }));
}

function toListedComment(job: Job, videoId: string, { id, snippet }: CommentThread): ListedComment {
  const written = snippet?.topLevelComment?.snippet;
  return {
    id,
    url: commentUrl(videoId, id),
    // Only the author gets the text as it was sent.
    text: written?.textOriginal ?? written?.textDisplay,
    isOwn: written?.authorChannelId?.value === job.account.platformAccountId,
  };
}

function commentUrl(videoId: string, commentId: string): string {
  return `${watchUrl(videoId)}&lc=${encodeURIComponent(commentId)}`;
}
