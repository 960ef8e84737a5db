import type { Job, PlatformClient, Result } from "#platforms/contract.ts";
import type { Extra, AddedExtra, PublicPost } from "#platforms/extras.ts";
import { failed, rejected, succeeded, temporary } from "#platforms/fault.ts";
import { firstComment, type ListedComment } from "#platforms/first-comment.ts";
import { bearerHeader, withQuery, postJson } from "#platforms/request-encoding.ts";
import { isOk, callPlatform, parseBody } from "#platforms/response.ts";
import { sendRange } from "#platforms/send-range.ts";
import { CommentThread, CommentThreads, PlaylistItem, PlaylistItems } from "./answers.ts";
import { toFault } from "./errors.ts";
import { THUMBNAIL_URL, API_URL } from "./hosts.ts";
import { findVideo, NO_VIDEO_FAULT, UPLOAD_TIMEOUT_MS, watchUrl } from "./upload.ts";

/**
 * Sets the cover. `thumbnails.set` (developers.google.com/youtube/data/reference/rest/v3/thumbnails/set) replaces what
 * the video shows, so it can be repeated. It works for Shorts too, once they are processed
 * (developers.google.com/youtube/v3/revision_history).
 */
export const cover: Extra = {
  name: "cover",
  count: (job) => (findVideo(job)?.cover?.image ? 1 : 0),
  send: async (client, job, post) => {
    const image = findVideo(job)?.cover?.image;
    if (!image) {
      return { ok: false, fault: NO_VIDEO_FAULT };
    }
    const { sizeBytes } = image;
    const response = await sendRange(
      client,
      withQuery(THUMBNAIL_URL, { videoId: post.id, uploadType: "media" }),
      image,
      { offset: 0, length: sizeBytes },
      {
        method: "POST",
        headers: {
          ...bearerHeader(job.account.accessToken),
          "content-type": image.contentType,
          "content-length": String(sizeBytes),
        },
        timeoutMs: UPLOAD_TIMEOUT_MS,
      },
    );
    if (response === null) {
      return null;
    }
    if (isOk(response)) {
      return { ok: true, value: { id: null, url: null } };
    }
    const fault = toFault(response, job.now);
    return {
      ok: false,
      fault: fault.platformCode === "forbidden" ? { ...fault, message: NEEDS_VERIFIED_PHONE } : fault,
    };
  },
};

/**
 * The message if YouTube refuses a cover because the phone number is not verified. The refusal has no reason of its
 * own; YouTube's help page on thumbnails requires a verified number.
 */
const NEEDS_VERIFIED_PHONE =
  "YouTube does not let this channel set covers: verify its phone number at youtube.com/verify, then set the cover in YouTube Studio.";

/* Adds the first comment. `commentThreads.insert` costs 50 units, `.list` costs 1
   (developers.google.com/youtube/v3/docs/commentThreads). A repeated insert creates a second comment, because the
   API has no idempotency key. */

const COMMENTS_URL = `${API_URL}/commentThreads`;
const PAGE_SIZE = 100;
const MAX_PAGES = 5;
/** The states under which comments are listed. YouTube lists a comment that it holds back only under its own state. */
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
    // YouTube returns the original text only to the comment's author.
    text: written?.textOriginal ?? written?.textDisplay,
    isOwn: written?.authorChannelId?.value === job.account.platformAccountId,
  };
}

function commentUrl(videoId: string, commentId: string): string {
  return `${watchUrl(videoId)}&lc=${encodeURIComponent(commentId)}`;
}

/* Adds the video to playlists. Each `playlistItems.insert` (50 units) adds it once more. `.list` with `videoId` (1
   unit) shows whether the playlist already has it: developers.google.com/youtube/v3/docs/playlistItems. */

const ITEMS_URL = `${API_URL}/playlistItems`;

const idsOf = ({ options: { playlist_ids: ids } }: Job): readonly string[] =>
  Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];

export const playlists: Extra = {
  name: "playlists",
  count: (job) => idsOf(job).length,
  send: async (client, job, post, index) => {
    const playlistId = idsOf(job)[index] ?? "";
    const response = await callPlatform(
      client,
      withQuery(ITEMS_URL, { part: "snippet" }),
      postJson(
        { snippet: { playlistId, resourceId: { kind: "youtube#video", videoId: post.id } } },
        bearerHeader(job.account.accessToken),
      ),
    );
    if (isOk(response)) {
      return parseBody(PlaylistItem, response) ? succeeded(ADDED) : null;
    }
    const fault = toFault(response, job.now);
    return fault.platformCode === "videoAlreadyInPlaylist"
      ? succeeded(ADDED)
      : failed({ ...fault, message: `Playlist ${playlistId}: ${fault.message}` });
  },
  look: async (client, job, post, index) => await findInPlaylist(client, job, post, idsOf(job)[index] ?? ""),
};

/** The result of this extra has no id, because each playlist has its own item. */
const ADDED: AddedExtra = { id: null, url: null };

async function findInPlaylist(
  client: PlatformClient,
  job: Job,
  post: PublicPost,
  playlistId: string,
): Promise<Result<AddedExtra | null>> {
  const url = withQuery(ITEMS_URL, { part: "id", playlistId, videoId: post.id, maxResults: 1 });
  const response = await callPlatform(client, url, { headers: bearerHeader(job.account.accessToken) });
  if (!isOk(response)) {
    return failed(toFault(response, job.now));
  }
  const list = parseBody(PlaylistItems, response);
  return list
    ? succeeded((list.items ?? []).length > 0 ? ADDED : null)
    : failed(temporary("YouTube did not list the playlist.", { httpStatus: response.status }));
}
