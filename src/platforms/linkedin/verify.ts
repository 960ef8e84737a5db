import { comparableText } from "#platforms/comparable-text.ts";
import { SECOND } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import { callPlatform, isOk, parseBody } from "#platforms/response.ts";
import type { Job, VerifyOutcome, PlatformClient } from "#platforms/contract.ts";
import { withQuery } from "#platforms/request-encoding.ts";
import { verifyAgainIn } from "#platforms/verify-again.ts";
import { absentIfNothingElse, type CandidateList, notListed, verifyByRow } from "#platforms/verify-by-row.ts";
import { type ListedPost, PostList } from "./answers.ts";
import { canListPosts, RESEND_UNTIL_MS } from "./commit.ts";
import { checkLogin } from "./connect.ts";
import { PAGE_REFUSED_CODE, toAccountFault } from "./errors.ts";
import { API_ORIGIN, postUrl, restHeaders } from "./hosts.ts";
import { CommitRef } from "./refs.ts";
import { fromLittleText, toLittleText } from "./text.ts";

/**
 * How long (ms) after a member's post its call is repeated once. By then, LinkedIn's duplicate check knows the first
 * call if it arrived.
 */
const RESEND_FROM_MS = 45 * SECOND;
const RETRY_SECONDS = 30;

/**
 * The first of two checks (ms), after which a page's missing post counts as absent. LinkedIn's duplicate check prevents
 * a second post even if that is wrong.
 */
const FIRST_CHECK_MS = 15 * SECOND;
const SECOND_CHECK_MS = 55 * SECOND;
const CLOCK_TOLERANCE_MS = 10 * SECOND;
const PAGE_SIZE = 100;
const MAX_PAGES = 8;

export async function verify(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome> {
  if (ref === null) {
    return canListPosts(job)
      ? await verifyByRow(job, {
          listedAfterMs: SECOND_CHECK_MS,
          list: (since) => listCandidates(client, job, since),
          decideNone: isResendDisabled(job) ? notListed : absentIfNothingElse,
        })
      : // A repeated call would lack the uploaded files and so not be identical. LinkedIn would not recognize it, so a member's post is not sent again.
        { state: "cannot_tell", detail: "LinkedIn does not let apps read a member's posts" };
  }
  const commitRef = CommitRef.parse(ref);
  return canListPosts(job)
    ? await verifyByListing(client, job, commitRef)
    : await verifyByResending(client, job, commitRef);
}

/**
 * Lists posts that could be this one. They are compared by text and kinds of media, because LinkedIn does not say which
 * app made a post.
 */
async function listCandidates(client: PlatformClient, job: Job, since: number): Promise<CandidateList> {
  const listed = await listSince(client, job, since);
  return listed.ok
    ? {
        ok: true,
        candidates: listed.posts
          .filter((post) => postedAt(post) >= since)
          .map((post) => ({ id: post.id, url: postUrl(post.id), isMatch: hasSameContent(post, job) })),
      }
    : listed;
}

function hasSameContent(post: ListedPost, job: Job): boolean {
  const kinds = mediaUrns(post).map((urn) => /^urn:li:(video|document):/.exec(urn)?.[1] ?? "image");
  const expected = job.document ? ["document"] : job.media.map(({ type }) => type);
  return (
    kinds.length === expected.length && kinds.every((kind, index) => kind === expected[index]) && hasSameText(post, job)
  );
}

function hasSameText(post: ListedPost, job: Job): boolean {
  const sent = fromLittleText(toLittleText(job.caption));
  return comparableText(fromLittleText(post.commentary ?? "")) === comparableText(sent);
}

function postedAt(post: ListedPost): number {
  return post.createdAt ?? post.publishedAt ?? 0;
}

/**
 * Sends the identical call once more, because a member's posts cannot be read. LinkedIn either accepts it, because the
 * first call did not arrive, or refuses a duplicate, and the outcome stays unknown. The duplicate check lasts only
 * minutes, so the call is repeated only once.
 */
async function verifyByResending(client: PlatformClient, job: Job, commitRef: CommitRef): Promise<VerifyOutcome> {
  const elapsed = job.now - firstSentAtMs(job, commitRef);
  if (commitRef.duplicate) {
    return { state: "cannot_tell", detail: duplicateDetail(commitRef) };
  }
  // Whether the duplicate check covers documents has not been observed, so a post with one is never sent again.
  const isNeverResent = job.document !== undefined || isResendDisabled(job);
  if (commitRef.sendCount > 1 || isNeverResent || elapsed >= RESEND_UNTIL_MS) {
    return { state: "cannot_tell", detail: "LinkedIn does not let apps read a member's posts" };
  }
  const sinceLastCall = Math.min(elapsed, job.now - (job.lastCommittedAt ?? 0));
  if (sinceLastCall < RESEND_FROM_MS) {
    return verifyAgainIn(RESEND_FROM_MS - sinceLastCall);
  }
  // Check first that LinkedIn responds, so that the only repetition is not lost to an outage.
  const profile = job.account.capabilities["profile"] === "me" ? "me" : "userinfo";
  const login = await checkLogin(client, profile, job.account.accessToken);
  if (login.ok) {
    return { state: "absent" };
  }
  return login.fault.kind === "reconnect"
    ? { state: "refused", fault: login.fault }
    : { state: "again", afterSeconds: login.fault.retryAfterSeconds ?? RETRY_SECONDS, isProcessing: false };
}

/** Tells the owner where to look. The refusal names a post, which may not exist. */
function duplicateDetail({ duplicateUrn }: CommitRef): string {
  return duplicateUrn
    ? `LinkedIn reports a duplicate of ${postUrl(duplicateUrn)}, which need not be public`
    : "LinkedIn reports a duplicate post and does not name it";
}

async function verifyByListing(client: PlatformClient, job: Job, commitRef: CommitRef): Promise<VerifyOutcome> {
  const since = firstSentAtMs(job, commitRef) - CLOCK_TOLERANCE_MS;
  const elapsed = job.now - Math.max(job.lastCommittedAt ?? firstSentAtMs(job, commitRef), commitRef.sentAt ?? 0);
  if (elapsed < FIRST_CHECK_MS) {
    return verifyAgainIn(FIRST_CHECK_MS - elapsed);
  }
  const list = await listSince(client, job, since);
  if (!list.ok) {
    return list.outcome;
  }
  const match = list.posts.findLast((post) => isPublishedPost(post, job, commitRef, since));
  if (match) {
    return { state: "published", remoteId: match.id, url: postUrl(match.id) };
  }
  if (elapsed < SECOND_CHECK_MS) {
    return verifyAgainIn(SECOND_CHECK_MS - elapsed);
  }
  return commitRef.sendCount > 1 || commitRef.duplicate || isResendDisabled(job)
    ? { state: "cannot_tell", detail: "not found among the page's posts" }
    : { state: "absent" };
}

function firstSentAtMs(job: Job, commitRef: CommitRef): number {
  return Math.min(job.committedAt ?? job.now, commitRef.firstSentAt ?? job.now);
}

function isResendDisabled(job: Job): boolean {
  return job.account.app.settings["RESEND"] === "never";
}

type ListResult =
  | { readonly ok: true; readonly posts: readonly ListedPost[] }
  | { readonly ok: false; readonly outcome: VerifyOutcome };

/**
 * Lists every post of the page since then, the last modified first. An incomplete list is an error, because it does not
 * prove that a post is absent.
 */
async function listSince(client: PlatformClient, job: Job, since: number): Promise<ListResult> {
  const { app, accessToken, platformAccountId } = job.account;
  const posts: ListedPost[] = [];
  for (let page = 0; page < MAX_PAGES; page++) {
    const url = withQuery(`${API_ORIGIN}/rest/posts`, {
      q: "author",
      author: platformAccountId,
      start: page * PAGE_SIZE,
      count: PAGE_SIZE,
      sortBy: "LAST_MODIFIED",
    });
    const headers = { ...restHeaders(app, accessToken), "x-restli-method": "FINDER" };
    const response = await callPlatform(client, url, { headers });
    const elements = isOk(response) ? parseBody(PostList, response)?.elements : undefined;
    if (!elements) {
      const fault = isOk(response) || response.status < 400 ? null : toAccountFault(response, job);
      if (fault?.code === PAGE_REFUSED_CODE) {
        return { ok: false, outcome: { state: "cannot_tell", detail: "LinkedIn no longer shows the page's posts" } };
      }
      return fault?.kind === "reconnect"
        ? { ok: false, outcome: { state: "refused", fault } }
        : { ok: false, outcome: verifyAgainIn((fault?.retryAfterSeconds ?? RETRY_SECONDS) * SECOND) };
    }
    posts.push(...elements);
    const reachesBack = elements.some((post) => (post.createdAt ?? Number.POSITIVE_INFINITY) < since);
    if (elements.length < PAGE_SIZE || reachesBack) {
      return { ok: true, posts };
    }
  }
  return { ok: false, outcome: verifyAgainIn(RETRY_SECONDS * SECOND) };
}

function isPublishedPost(post: ListedPost, job: Job, commitRef: CommitRef, since: number): boolean {
  const urns = mediaUrns(post);
  if (commitRef.urns.length > 0) {
    // An uploaded file belongs to only one post, so it identifies the post.
    return commitRef.urns.some((urn) => urns.includes(urn));
  }
  const isNamed = post.id === commitRef.duplicateUrn;
  return postedAt(post) >= since && urns.length === 0 && (isNamed || hasSameText(post, job));
}

function mediaUrns(post: ListedPost): readonly string[] {
  return [post.content?.media?.id, ...(post.content?.multiImage?.images ?? []).map((image) => image.id)].filter(
    (id) => typeof id === "string",
  );
}
