import type { JsonValue } from "#core/json.ts";
import { comparableText } from "#platforms/comparable-text.ts";
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
import { graphGet, nextCursor } from "#platforms/graph-api.ts";
import { isStory } from "#platforms/story.ts";
import { verifyAgainIn } from "#platforms/verify-again.ts";
import { type ListedCandidate, notListed, verifyByRow } from "#platforms/verify-by-row.ts";
import { MediaList } from "./answers.ts";
import { readContainerStatus } from "./commit.ts";
import { graphUrl, republishesUnread } from "./hosts.ts";

const PAGE_SIZE = 100;
const MAX_PAGES = 10;

/** The `media_type` that the list of posts has for each kind of post. */
const LISTED_MEDIA_TYPE: Readonly<Record<string, string>> = {
  carousel: "CAROUSEL_ALBUM",
  image: "IMAGE",
  video: "VIDEO",
};

export function verify(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome> {
  const story = isStory(job.options);
  if (ref === null && story) {
    return Promise.resolve({
      state: "cannot_tell",
      detail: "a story has no text by which it could be told from others of the account",
    });
  }
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
    decideUnlisted: (unlisted) => decideUnlisted(job, unlisted),
    isListProof: !story,
  });
}

function decideUnlisted(job: Job, { commitRef, status, elapsedMs }: UnlistedContainer): VerifyOutcome {
  const isRepeatable = status === "FINISHED" && commitRef.restrictedCount === 0 && republishesUnread(job.account.app);
  if (elapsedMs < ABSENT_AFTER_MS && !isRepeatable) {
    return verifyAgainIn(ABSENT_AFTER_MS - elapsedMs);
  }
  switch (status) {
    case "FINISHED":
      return commitRef.restrictedCount > 0
        ? { state: "refused", fault: activityRestricted("Instagram", "4/2207051") }
        : { state: "absent" };
    case "ERROR":
    case "EXPIRED":
      return { state: "stale", detail: `the container has the status ${status} and was not published` };
    case "IN_PROGRESS":
      return { state: "again", afterSeconds: 30, isProcessing: false };
    default:
      return { state: "cannot_tell", detail: "the container no longer exists and no matching post was found" };
  }
}

/** Lists every post since then. Undefined if the list cannot be read completely. */
async function listSince(
  client: PlatformClient,
  job: Job,
  since: number,
): Promise<readonly ListedCandidate[] | undefined> {
  const postKind = job.media.length > 1 ? "carousel" : (job.media[0]?.type ?? "image");
  const story = isStory(job.options);
  // The list of media has no stories (IG user media reference). They are in another list for the 24 hours in which
  // Instagram shows them.
  const edge = story ? "stories" : "media";
  const url = `${graphUrl(job.account)}/${encodeURIComponent(job.account.platformAccountId)}/${edge}`;
  const candidates: ListedCandidate[] = [];
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const response = await graphGet(client, url, job.account.loginToken, {
      fields: "id,caption,media_type,timestamp,permalink",
      limit: PAGE_SIZE,
      after,
    });
    const list = isOk(response) ? parseBody(MediaList, response) : undefined;
    if (!list) {
      return undefined;
    }
    const recent = list.data.filter((post) => Date.parse(post.timestamp ?? "") >= since);
    candidates.push(
      ...recent.map((post) => ({
        id: post.id,
        url: post.permalink ?? null,
        isMatch:
          (!post.media_type || post.media_type === LISTED_MEDIA_TYPE[postKind]) &&
          (story || comparableText(post.caption) === comparableText(job.caption)),
      })),
    );
    after = nextCursor(list.paging);
    // The order of stories is not documented, so read all pages of their list.
    if (after === undefined || (!story && recent.length < list.data.length)) {
      return candidates;
    }
  }
  return undefined;
}
