import { SECOND } from "#core/clock.ts";
import type { Job, PlatformClient } from "#platforms/contract.ts";
import { nextCursor } from "#platforms/graph-api.ts";
import { bearerHeader, withQuery } from "#platforms/request-encoding.ts";
import { callPlatform, isOk, parseBody } from "#platforms/response.ts";
import { StoryList } from "./answers.ts";
import { graphUrl } from "./hosts.ts";
import { absolutePermalink } from "./permalink.ts";

/*
 * The stories of a Page (developers.facebook.com/docs/page-stories-api, "Get stories"). The addresses of stories are there only: the id
 * in the answer of a publishing call makes no address that opens (github.com/gitroomhq/postiz-app/issues/1920).
 */

const PAGE_SIZE = 100;
const MAX_PAGES = 10;
const CLOCK_TOLERANCE_MS = 120 * SECOND;
/** The story is published already: its address is not worth a longer wait. */
const URL_TIMEOUT_MS = 5000;

export type StorySearch =
  | { readonly state: "found"; readonly id: string | null; readonly url: string | null }
  | { readonly state: "none" | "unreadable" };

/** Looks for the story of this photo or video among those of the Page since then. */
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

/** Null when it cannot be read: the story is published already, so a failure here must not fail it. */
export async function readStoryUrl(client: PlatformClient, job: Job, mediaId: string): Promise<string | null> {
  try {
    const story = await findStory(client, job, mediaId, job.committedAt ?? job.now, URL_TIMEOUT_MS);
    return story.state === "found" ? story.url : null;
  } catch {
    return null;
  }
}
