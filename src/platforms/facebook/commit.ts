import { SECOND } from "#core/clock.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import type { CommitOutcome, Job, PlatformClient } from "#platforms/contract.ts";
import { graphCode, graphError, isAmbiguousResponse, nextCursor } from "#platforms/graph-api.ts";
import { bearerHeader, postJson, withQuery } from "#platforms/request-encoding.ts";
import { type PlatformResponse, callPlatform, isOk, parseBody } from "#platforms/response.ts";
import { CreatedPost, SuccessFlag, StoryList } from "./answers.ts";
import { DUPLICATE_CODE, toFault } from "./errors.ts";
import { graphUrl, absolutePermalink, CALL_TIMEOUT_MS } from "./hosts.ts";
import { CommitRef } from "./refs.ts";
import { videosUrl } from "./upload.ts";
import { previewLink } from "./validate.ts";

const FIRST_POLL_SECONDS = 5;
/** If `committedAt` is older than this (ms), an earlier visible call was sent. */
const SAME_CALL_MS = 10_000;

export async function commit(client: PlatformClient, job: Job, ref: JsonValue): Promise<CommitOutcome> {
  const commitRef = CommitRef.parse(ref);
  const sentRef: CommitRef = { ...commitRef, sendCount: commitRef.sendCount + 1, sentAt: job.now };
  const { url, body } = visibleRequest(job, commitRef);
  let response: PlatformResponse;
  try {
    response = await callPlatform(client, url, {
      ...postJson(body, bearerHeader(job.account.accessToken)),
      timeoutMs: CALL_TIMEOUT_MS,
    });
  } catch {
    return {
      state: "uncertain",
      detail: "the connection broke after the post was sent",
      httpStatus: null,
      ref: sentRef,
    };
  }
  const outcome = isOk(response) ? await successOutcome(client, job, sentRef, response) : null;
  if (outcome) {
    return outcome;
  }
  const error = graphError(response);
  const detail = `Facebook answered ${error ? graphCode(error) : response.status}`;
  if (isAmbiguousResponse(response)) {
    return { state: "uncertain", detail, httpStatus: response.status, ref: sentRef };
  }
  const fault = toFault(response);
  const isRepeated = commitRef.sendCount > 0 || (job.committedAt !== null && job.now - job.committedAt > SAME_CALL_MS);
  const isUsedUp = error?.code === 100 && (commitRef.photos.length > 0 || commitRef.videoId !== null);
  if (isRepeated && (fault.code === DUPLICATE_CODE || isUsedUp)) {
    // A duplicate, or media in use, may mean that an earlier call with an unknown outcome has arrived.
    return { state: "uncertain", detail, httpStatus: response.status, ref: { ...sentRef, duplicate: true } };
  }
  return fault.kind === "temporary"
    ? { state: "uncertain", detail, httpStatus: response.status, ref: sentRef }
    : { state: "refused", fault };
}

/** The request that makes the post visible, for each kind of post. */
function visibleRequest(job: Job, commitRef: CommitRef): { readonly url: string; readonly body: JsonObject } {
  const page = encodeURIComponent(job.account.platformAccountId);
  const graph = graphUrl(job.account.app);
  const title = textOption(job, "title");
  switch (commitRef.kind) {
    case "feed": {
      const link = commitRef.photos.length === 0 ? (textOption(job, "link") ?? previewLink(job.caption)) : null;
      const place = textOption(job, "place");
      return {
        url: `${graph}/${page}/feed?fields=id,permalink_url`,
        body: {
          ...(job.caption !== "" && { message: job.caption }),
          ...(link !== null && { link }),
          ...(place !== undefined && { place }),
          ...(commitRef.photos.length > 0 && { attached_media: commitRef.photos.map((id) => ({ media_fbid: id })) }),
          published: true,
        },
      };
    }
    case "reel":
      return {
        url: `${graph}/${page}/video_reels`,
        body: {
          upload_phase: "finish",
          video_id: commitRef.videoId,
          video_state: "PUBLISHED",
          description: job.caption,
          ...(title !== undefined && { title }),
        },
      };
    case "video":
      return {
        url: videosUrl(job),
        body: {
          upload_phase: "finish",
          upload_session_id: commitRef.sessionId,
          description: job.caption,
          ...(title !== undefined && { title }),
          custom_labels: [videoLabel(job)],
        },
      };
    case "story":
      return commitRef.videoId === null
        ? { url: `${graph}/${page}/photo_stories`, body: { photo_id: commitRef.photos[0] ?? null } }
        : { url: `${graph}/${page}/video_stories`, body: { upload_phase: "finish", video_id: commitRef.videoId } };
  }
}

function textOption({ options }: Job, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}

/**
 * A unique label that lists return. It identifies a video whose id is lost. It is short, because its longest form is
 * not documented.
 */
function videoLabel(job: Job): string {
  return job.postId.replaceAll("-", "").slice(-20);
}

export function hasOwnLabel(
  { custom_labels: labels }: { readonly custom_labels?: readonly string[] | null | undefined },
  job: Job,
): boolean {
  return labels?.includes(videoLabel(job)) === true;
}

/**
 * The outcome of a successful response. For a video Facebook only accepts it here and processes it later. Null for an
 * unknown body.
 */
async function successOutcome(
  client: PlatformClient,
  job: Job,
  sentRef: CommitRef,
  response: PlatformResponse,
): Promise<CommitOutcome | null> {
  if (sentRef.kind !== "feed") {
    const { success, post_id: postId } = parseBody(SuccessFlag, response) ?? {};
    if (!success) {
      return null;
    }
    if (sentRef.kind === "story" && sentRef.videoId === null) {
      return postId
        ? { state: "published", remoteId: postId, url: await readStoryUrl(client, job, sentRef.photos[0] ?? "") }
        : null;
    }
    const accepted = { ...sentRef, accepted: true, ...(sentRef.kind === "story" && { storyId: postId ?? null }) };
    return { state: "accepted", ref: accepted, afterSeconds: FIRST_POLL_SECONDS };
  }
  const createdPost = parseBody(CreatedPost, response);
  if (!createdPost) {
    return null;
  }
  const remoteId = createdPost.post_id ?? createdPost.id;
  return {
    state: "published",
    remoteId,
    url: absolutePermalink(createdPost.permalink_url) ?? `https://www.facebook.com/${remoteId}`,
  };
}

/* Reads the stories of a Page (developers.facebook.com/docs/page-stories-api, "Get stories"). Only this list has the
   addresses of stories: the id from a publishing call makes no address that opens
   (github.com/gitroomhq/postiz-app/issues/1920). */

const PAGE_SIZE = 100;
const MAX_PAGES = 10;
const CLOCK_TOLERANCE_MS = 120 * SECOND;
/** The timeout (ms) for reading the address. It is short, because the story is already published. */
const URL_TIMEOUT_MS = 5000;

export type StorySearch =
  | { readonly state: "found"; readonly id: string | null; readonly url: string | null }
  | { readonly state: "none" | "unreadable" };

/** Finds the story of a photo or video among those that the Page has published since. */
export async function findStory(
  client: PlatformClient,
  job: Job,
  mediaId: string,
  since: number,
  timeoutMs?: number,
): Promise<StorySearch> {
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const edge = `${graphUrl(job.account.app)}/${encodeURIComponent(job.account.platformAccountId)}/stories`;
    const query = {
      fields: "post_id,media_id,url",
      since: Math.floor((since - CLOCK_TOLERANCE_MS) / SECOND),
      limit: PAGE_SIZE,
      after,
    };
    const response = await callPlatform(client, withQuery(edge, query), {
      headers: bearerHeader(job.account.accessToken),
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
    const list = isOk(response) ? parseBody(StoryList, response) : undefined;
    if (!list) {
      return { state: "unreadable" };
    }
    const own = list.data.find(({ media_id: id }) => id === mediaId);
    if (own) {
      return { state: "found", id: own.post_id ?? null, url: absolutePermalink(own.url) };
    }
    after = nextCursor(list.paging);
    if (after === undefined) {
      return { state: "none" };
    }
  }
  return { state: "unreadable" };
}

/** The address of a story. Null if it cannot be read: the story is already published, so a failure must not fail it. */
async function readStoryUrl(client: PlatformClient, job: Job, mediaId: string): Promise<string | null> {
  try {
    const story = await findStory(client, job, mediaId, job.committedAt ?? job.now, URL_TIMEOUT_MS);
    return story.state === "found" ? story.url : null;
  } catch {
    return null;
  }
}
