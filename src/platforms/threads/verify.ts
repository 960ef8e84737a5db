import type { JsonValue } from "#core/json.ts";
import { SECOND } from "#core/clock.ts";
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
import type { Job, VerifyOutcome, PlatformClient } from "#platforms/contract.ts";
import { graphError, graphGet, nextCursor } from "#platforms/graph-api.ts";
import { verifyAgainIn } from "#platforms/verify-again.ts";
import { type ListedCandidate, notListed, verifyByRow } from "#platforms/verify-by-row.ts";
import { Container, PostList } from "./answers.ts";
import { isContainerNotFound } from "./errors.ts";
import { graphUrl } from "./hosts.ts";
import { comparableCaption } from "./text.ts";

/** A container that does not exist is stale when the list has not shown the post for this long. */
const LOST_CONTAINER_STALE_AFTER_MS = 120 * SECOND;
/** The publishing call was refused with "not found": the same container is tried again after this, up to the maximum below. */
const NOT_FOUND_RETRY_AFTER_MS = 30 * SECOND;
const MAX_NOT_FOUND = 3;
/** So that a container that does not exist is checked three times. */
const MAX_PAUSE_MS = 60 * SECOND;
const PAGE_SIZE = 100;
const MAX_PAGES = 10;

/** `media_type` in the list of posts, by the kind of post. */
const LISTED_MEDIA_TYPE: Readonly<Record<string, string>> = {
  text: "TEXT_POST",
  carousel: "CAROUSEL_ALBUM",
  image: "IMAGE",
  video: "VIDEO",
};

export function verify(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome> {
  if (ref === null) {
    return verifyByRow(job, {
      listedAfterMs: LISTED_AFTER_MS,
      list: async (since) => toCandidateList(await listSince(client, job, since)),
      decideNone: notListed,
    });
  }
  return verifyContainer(job, ref, {
    readStatus: (id) => readContainerStatus(client, job, id),
    findPost: async (since): Promise<ListingMatch> => listedAs(await listSince(client, job, since)),
    decideUnlisted: decideUnlisted,
  });
}

function decideUnlisted(unlisted: UnlistedContainer): VerifyOutcome {
  const waitMs = waitBeforeDecisionMs(unlisted);
  return unlisted.elapsedMs < waitMs
    ? verifyAgainIn(Math.min(MAX_PAUSE_MS, waitMs - unlisted.elapsedMs))
    : unlistedOutcome(unlisted);
}

/** After a "not found" refusal, a container that is finished and unpublished needs no further wait. */
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

/** Every post since then; undefined when the list cannot be read to its end. */
async function listSince(
  client: PlatformClient,
  job: Job,
  since: number,
): Promise<readonly ListedCandidate[] | undefined> {
  const postKind = job.media.length > 1 ? "carousel" : (job.media[0]?.type ?? "text");
  const expectedText = comparableCaption(job.caption);
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
      const isSameKind = !post.media_type || post.media_type === LISTED_MEDIA_TYPE[postKind];
      if (Date.parse(post.timestamp ?? "") >= since) {
        const isMatch = isSameKind && comparableCaption(post.text ?? "") === expectedText;
        candidates.push({ id: post.id, url: post.permalink ?? null, isMatch });
      }
    }
    after = nextCursor(list.paging);
    if (after === undefined) {
      return candidates;
    }
  }
  return undefined;
}
