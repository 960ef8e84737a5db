import type { JsonValue } from "#core/json.ts";
import type { z } from "@hono/zod-openapi";
import { MINUTE, SECOND } from "#core/clock.ts";
import { isOk, parseBody } from "#platforms/response.ts";
import {
  ABSENT_AFTER_MS,
  LISTED_AFTER_MS,
  type ListingMatch,
  listedAs,
  toCandidateList,
  activityRestricted,
  type UnlistedContainer,
  verifyContainer,
} from "#platforms/verify-container.ts";
import type { Job, PublishedOutcome, VerifyOutcome, PlatformClient } from "#platforms/contract.ts";
import { ContainerRef } from "#platforms/prepare-containers.ts";
import {
  currentThreadPart,
  jobOfPart,
  publishedThreadParts,
  threadCaptions,
  type ThreadPart,
  threadPartOutcome,
} from "#platforms/thread.ts";
import { isLostThread, type OwnReplies, verifyLostThread } from "#platforms/verify-thread.ts";
import { graphError, graphGet, nextCursor } from "#platforms/graph-api.ts";
import { verifyAgainIn } from "#platforms/verify-again.ts";
import { type ListedCandidate, notListed, verifyByRow } from "#platforms/verify-by-row.ts";
import { Container, PostList, ReplyList } from "./answers.ts";
import { isContainerNotFound } from "./errors.ts";
import { graphUrl } from "./hosts.ts";
import { comparableCaption } from "./text.ts";

/** How long (ms) the list must lack the post before a container that does not exist counts as stale. */
const LOST_CONTAINER_STALE_AFTER_MS = 120 * SECOND;
/** How soon (ms) the same container is published again after a "not found". The next constant limits how often. */
const NOT_FOUND_RETRY_AFTER_MS = 30 * SECOND;
const MAX_NOT_FOUND = 3;
/** The longest wait (ms) between checks. It checks a missing container three times before it counts as stale. */
const MAX_PAUSE_MS = 60 * SECOND;
const PAGE_SIZE = 100;
const MAX_PAGES = 10;
/**
 * How many pages of replies are read. The documentation does not name the size of a page, so the number of pages is
 * limited.
 */
const MAX_CONVERSATION_PAGES = 20;

/** The `media_type` that the list of posts has for each kind of post. */
const LISTED_MEDIA_TYPE: Readonly<Record<string, string>> = {
  text: "TEXT_POST",
  carousel: "CAROUSEL_ALBUM",
  image: "IMAGE",
  video: "VIDEO",
};

export async function verify(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome> {
  if (isLostThread(ref)) {
    return await verifyFromRow(client, job, ref);
  }
  // mutant: thread-container-no-look
  const part = currentThreadPart(job);
  const post = jobOfPart(job);
  const outcome = await verifyContainer(job, ref, {
    readStatus: (id) => readContainerStatus(client, job, id),
    findPost: async (since): Promise<ListingMatch> =>
      listedAs(await (post.replyTo === null ? listSince(client, post, since) : listReplies(client, job, post))),
    decideUnlisted: decideUnlisted,
  });
  return outcome.state === "published" && part ? afterPart(job, part, ref, outcome) : outcome;
}

/** How long (ms) `verify` looks for the id of a published part, which the next part needs for its reply. */
const UNNAMED_PART_MS = 5 * MINUTE;

function afterPart(job: Job, part: ThreadPart, ref: JsonValue, { remoteId, url }: PublishedOutcome): VerifyOutcome {
  // `verifyContainer` returns the container's id if the list does not show the post. A reply needs the post's own id.
  const hasId = remoteId !== ContainerRef.parse(ref).containerId;
  if (hasId || part.isLast) {
    return threadPartOutcome(job, { id: remoteId, url }, null);
  }
  return job.now - (job.lastCommittedAt ?? job.now) < UNNAMED_PART_MS
    ? { state: "again", afterSeconds: 30, isProcessing: true }
    : { state: "cannot_tell", detail: "Threads published a part and does not tell its id, which the next one needs" };
}

/** Looks for a post without a journal by the content of its row, and for a thread part by part. */
async function verifyFromRow(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome> {
  const findFirst = async () =>
    await verifyByRow(job, {
      listedAfterMs: LISTED_AFTER_MS,
      list: async (since) => toCandidateList(await listSince(client, job, since)),
      decideNone: notListed,
    });
  return threadCaptions(job.options).length === 0
    ? await findFirst()
    : await verifyLostThread(job, ref, {
        listedAfterMs: LISTED_AFTER_MS,
        findFirst,
        listReplies: async (rootId) => {
          const replies = await readConversation(client, job, rootId);
          return replies && ownReplies(replies);
        },
        mayGoOn: true,
        nextRef: () => null,
      });
}

function decideUnlisted(unlisted: UnlistedContainer): VerifyOutcome {
  const waitMs = waitBeforeDecisionMs(unlisted);
  return unlisted.elapsedMs < waitMs
    ? verifyAgainIn(Math.min(MAX_PAUSE_MS, waitMs - unlisted.elapsedMs))
    : unlistedOutcome(unlisted);
}

/**
 * How long (ms) to wait before deciding. After a refusal with "not found", a container that is finished and unpublished
 * needs no further wait.
 */
function waitBeforeDecisionMs({ commitRef, status }: UnlistedContainer): number {
  if (commitRef.notFoundCount > 0) {
    return status === "FINISHED" ? 0 : NOT_FOUND_RETRY_AFTER_MS;
  }
  return status === "LOST" ? LOST_CONTAINER_STALE_AFTER_MS : ABSENT_AFTER_MS;
}

function unlistedOutcome({ commitRef, status, listed }: UnlistedContainer): VerifyOutcome {
  if (listed === "several") {
    return { state: "cannot_tell", detail: "several posts match" };
  }
  switch (status) {
    case "FINISHED":
      if (commitRef.restrictedCount > 0) {
        return { state: "refused", fault: activityRestricted("Threads", "2207051") };
      }
      return commitRef.notFoundCount > MAX_NOT_FOUND
        ? { state: "stale", detail: "Threads does not find the container" }
        : { state: "absent" };
    case "ERROR":
    case "EXPIRED":
    case "LOST":
      return { state: "stale", detail: `the container has the status ${status} and was not published` };
    default:
      return { state: "again", afterSeconds: 30, isProcessing: false };
  }
}

async function readContainerStatus(client: PlatformClient, job: Job, id: string): Promise<string> {
  const response = await graphGet(
    client,
    `${graphUrl(job.account.app)}/${encodeURIComponent(id)}`,
    job.account.accessToken,
    {
      fields: "id,status,error_message",
    },
  );
  const container = isOk(response) ? parseBody(Container, response) : undefined;
  if (container) {
    return container.status;
  }
  const error = graphError(response);
  return isContainerNotFound(error) || error?.code === 100 ? "LOST" : "unreadable";
}

/** Lists every post since `since`. Undefined if the list cannot be read completely. */
async function listSince(
  client: PlatformClient,
  job: Job,
  since: number,
): Promise<readonly ListedCandidate[] | undefined> {
  const expected = listedContent(job);
  const candidates: ListedCandidate[] = [];
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const url = `${graphUrl(job.account.app)}/${encodeURIComponent(job.account.platformAccountId)}/threads`;
    const response = await graphGet(client, url, job.account.accessToken, {
      fields: "id,text,media_type,permalink,timestamp,shortcode",
      since: Math.floor(since / SECOND),
      limit: PAGE_SIZE,
      after,
    });
    const list = isOk(response) ? parseBody(PostList, response) : undefined;
    if (!list) {
      return undefined;
    }
    for (const post of list.data) {
      if (Date.parse(post.timestamp ?? "") >= since) {
        candidates.push({ id: post.id, url: post.permalink ?? null, isMatch: hasContent(post, expected) });
      }
    }
    after = nextCursor(list.paging);
    if (after === undefined) {
      return candidates;
    }
  }
  return undefined;
}

interface ListedContent {
  readonly mediaType: string | undefined;
  readonly text: string;
}

function listedContent({ caption, media }: Pick<Job, "caption" | "media">): ListedContent {
  const kind = media.length > 1 ? "carousel" : (media[0]?.type ?? "text");
  return { mediaType: LISTED_MEDIA_TYPE[kind], text: comparableCaption(caption) };
}

function hasContent(
  post: { readonly media_type?: string | null | undefined; readonly text?: string | null | undefined },
  { mediaType, text }: ListedContent,
): boolean {
  return (!post.media_type || post.media_type === mediaType) && comparableCaption(post.text ?? "") === text;
}

type Reply = z.infer<typeof ReplyList>["data"][number];

/** Lists the account's own replies to the previous part. */
async function listReplies(
  client: PlatformClient,
  job: Job,
  { replyTo, caption, media }: ReturnType<typeof jobOfPart>,
): Promise<readonly ListedCandidate[] | undefined> {
  const rootId = publishedThreadParts(job.progress)[0]?.id ?? "";
  const expected = listedContent({ caption, media });
  const replies = await readConversation(client, job, rootId);
  return replies
    ?.filter((reply) => reply.replied_to?.id === replyTo)
    .map((reply) => ({ id: reply.id, url: reply.permalink ?? null, isMatch: hasContent(reply, expected) }));
}

/** Lists every reply of the account below its own post. Undefined if the list cannot be read completely. */
async function readConversation(
  client: PlatformClient,
  job: Job,
  rootId: string,
): Promise<readonly Reply[] | undefined> {
  const url = `${graphUrl(job.account.app)}/${encodeURIComponent(rootId)}/conversation`;
  const replies: Reply[] = [];
  let after: string | undefined;
  for (let page = 0; page < MAX_CONVERSATION_PAGES; page++) {
    const fields = "id,text,media_type,permalink,replied_to,is_reply_owned_by_me";
    const response = await graphGet(client, url, job.account.accessToken, { fields, after });
    const list = isOk(response) ? parseBody(ReplyList, response) : undefined;
    if (!list) {
      return undefined;
    }
    replies.push(...list.data.filter((reply) => reply.is_reply_owned_by_me !== false));
    after = nextCursor(list.paging);
    if (after === undefined) {
      return replies;
    }
  }
  return undefined;
}

function ownReplies(replies: readonly Reply[]): OwnReplies {
  return {
    find: ({ replyTo, ...part }) => {
      const expected = listedContent(part);
      const found = replies.find((reply) => reply.replied_to?.id === replyTo && hasContent(reply, expected));
      return found && { id: found.id, url: found.permalink ?? null };
    },
    hasSimilar: ({ replyTo, caption }) =>
      replies.some(
        ({ replied_to, text }) =>
          (replied_to?.id ?? replyTo) === replyTo || comparableCaption(text ?? "") === comparableCaption(caption),
      ),
  };
}
