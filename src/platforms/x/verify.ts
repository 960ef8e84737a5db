import type { JsonValue } from "#core/json.ts";
import { SECOND } from "#core/clock.ts";
import { type PlatformResponse, callPlatform, isOk, parseBody } from "#platforms/response.ts";
import type { Job, VerifyOutcome, PlatformClient } from "#platforms/contract.ts";
import { rejected } from "#platforms/fault.ts";
import { bearerHeader, withQuery } from "#platforms/request-encoding.ts";
import { verifyAgainIn } from "#platforms/verify-again.ts";
import { absentIfNothingElse, type CandidateList, searchSince, verifyByRow } from "#platforms/verify-by-row.ts";
import {
  isLostThread,
  MISSING_FOR_MS,
  type OwnReplies,
  type Reply,
  verifyLostThread,
} from "#platforms/verify-thread.ts";
import { type ListedPost, PostList } from "./answers.ts";
import { currentThreadPart, publishedThreadParts, threadCaptions } from "#platforms/thread.ts";
import { partOutcome, postUrl, findQuotedPost, refOfReply } from "./commit.ts";
import { DUPLICATE_CODE, toFault } from "./errors.ts";
import { API_ORIGIN } from "./hosts.ts";
import { CommitRef } from "./refs.ts";
import { normalizeText, normalizeTextWithoutUrls, unescapeHtml } from "./text.ts";

/**
 * The time of the first check (ms). X lists a new post within seconds, but one check is not enough for absence. The
 * second is early enough to send a post within a minute after a crash, and X's duplicate detection prevents a second
 * post.
 */
const FIRST_CHECK_MS = 15 * SECOND;
const SECOND_CHECK_MS = 55 * SECOND;
const LOOKBACK_MS = 60 * SECOND;
/** How much (ms) the clocks may differ, including X's times in whole seconds. */
const CLOCK_TOLERANCE_MS = 10 * SECOND;
const RETRY_SECONDS = 60;
const MAX_PAGES = 5;
/** The shortest text that may be sent again. X's duplicate detection is not reliable for shorter ones. */
const MIN_COMPARABLE_LENGTH = 10;
const POST_FIELDS = "created_at,text,entities,attachments";
/**
 * Two spellings of the fields to request. X's OpenAPI description 2.167 (https://api.x.com/2/openapi.json) uses only
 * the first, and its guides the second. In the first, the post that a reply answers is an expansion. X may leave
 * unknown names out of the answer without an error.
 */
const FIELD_SPELLINGS = [
  { param: "post.fields", note: "note_post", replies: { field: "", expansions: "referenced_posts" } },
  { param: "tweet.fields", note: "note_tweet", replies: { field: ",referenced_tweets", expansions: undefined } },
] as const;

export async function verify(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome> {
  if (isLostThread(ref)) {
    return await verifyFromRow(client, job, ref);
  }
  const commitRef = CommitRef.parse(ref);
  const part = currentThreadPart(job);
  if (part && part.replyTo !== null) {
    // mutant: thread-no-look
    return await verifyReply(client, job, commitRef, { ...part, replyTo: part.replyTo });
  }
  const committedAt = job.committedAt ?? commitRef.sentAt ?? job.now;
  const elapsed = job.now - Math.max(job.lastCommittedAt ?? committedAt, commitRef.sentAt ?? 0);
  if (elapsed < FIRST_CHECK_MS) {
    return verifyAgainIn(FIRST_CHECK_MS - elapsed);
  }
  const listed = await listSince(client, job, committedAt - LOOKBACK_MS);
  if (!listed.ok) {
    return { state: "again", afterSeconds: listed.afterSeconds, isProcessing: false };
  }
  const recent = listed.posts.filter((post) => isSince(post, committedAt - CLOCK_TOLERANCE_MS));
  const match = recent.findLast((post) => isPublishedPost(post, job, commitRef));
  if (match) {
    return partOutcome(job, match.id);
  }
  if (elapsed < SECOND_CHECK_MS) {
    return verifyAgainIn(SECOND_CHECK_MS - elapsed);
  }
  if (
    recent.some((post) => normalizeTextWithoutUrls(originalText(post, job)) === normalizeTextWithoutUrls(job.caption))
  ) {
    return { state: "cannot_tell", detail: "a very similar post exists" };
  }
  return decideUnlisted(job, commitRef, committedAt);
}

/**
 * Looks for a thread part among the account's replies to the previous part. The part is absent only if two complete
 * lists, read a minute apart, lack it.
 */
async function verifyReply(
  client: PlatformClient,
  job: Job,
  commitRef: CommitRef,
  part: Reply,
): Promise<VerifyOutcome> {
  const committedAt = job.committedAt ?? commitRef.sentAt ?? job.now;
  const lastSentAt = Math.max(job.lastCommittedAt ?? committedAt, commitRef.sentAt ?? 0);
  if (job.now - lastSentAt < FIRST_CHECK_MS) {
    return verifyAgainIn(FIRST_CHECK_MS - (job.now - lastSentAt));
  }
  const listed = await listSince(client, job, committedAt - LOOKBACK_MS);
  if (!listed.ok) {
    return { state: "again", afterSeconds: listed.afterSeconds, isProcessing: false };
  }
  const known = new Set(publishedThreadParts(job.progress).map(({ id }) => id));
  const others = listed.posts.filter(({ id }) => !known.has(id));
  const replies = others.filter((post) => repliedTo(post) === part.replyTo);
  const match = replies.findLast((post) => hasMediaKeys(post, commitRef) || isReplyWith(post, part, job));
  if (match) {
    return partOutcome(job, match.id);
  }
  // The list may not say what a post replies to, and X may have changed its text. So a similar post forbids another
  // call.
  if (replies.length > 0 || others.some((post) => isSimilar(originalText(post, job), part.caption))) {
    return { state: "cannot_tell", detail: "a very similar post exists" };
  }
  const { missingSince } = commitRef;
  // mutant: thread-absent-too-soon
  if (missingSince === null || missingSince < lastSentAt) {
    const ref: CommitRef = { ...commitRef, missingSince: job.now };
    return { state: "again", afterSeconds: MISSING_FOR_MS / SECOND, isProcessing: false, ref };
  }
  const leftMs = missingSince + MISSING_FOR_MS - job.now;
  return leftMs > 0 ? verifyAgainIn(leftMs) : decideMissingReply(job, commitRef, committedAt);
}

function decideMissingReply(job: Job, commitRef: CommitRef, committedAt: number): VerifyOutcome {
  // A thread part is sent at most twice.
  const isSecond = commitRef.sendCount > 1 || (job.lastCommittedAt ?? committedAt) - committedAt > LOOKBACK_MS;
  return isSecond || commitRef.duplicate || job.account.app.settings["RESEND"] === "never"
    ? RESEND_RULED_OUT
    : { state: "absent" };
}

function repliedTo(post: ListedPost): string | null {
  const references = post.referenced_posts ?? post.referenced_tweets ?? [];
  return references.find(({ type }) => type === "replied_to")?.id ?? null;
}

function isReplyWith(post: ListedPost, { caption, media }: Reply, job: Job): boolean {
  return (
    (post.attachments?.media_keys ?? []).length === media.length &&
    normalizeText(originalText(post, job)) === normalizeText(caption)
  );
}

function isSimilar(text: string, caption: string): boolean {
  return normalizeTextWithoutUrls(text) === normalizeTextWithoutUrls(caption);
}

/** Looks for a post without a journal by the content of its row, and for a thread part by part. */
async function verifyFromRow(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome> {
  const findFirst = async () =>
    await verifyByRow(job, {
      listedAfterMs: SECOND_CHECK_MS,
      list: (since) => listCandidates(client, job, since),
      decideNone: (none) => (canSendAgain(job) ? absentIfNothingElse(none) : RESEND_RULED_OUT),
    });
  if (threadCaptions(job.options).length === 0) {
    return await findFirst();
  }
  return await verifyLostThread(job, ref, {
    listedAfterMs: SECOND_CHECK_MS,
    findFirst,
    listReplies: async () => {
      const listed = await listSince(client, job, searchSince(job));
      return listed.ok ? ownReplies(job, listed.posts) : undefined;
    },
    mayGoOn: job.account.app.settings["RESEND"] !== "never",
    nextRef: (found) => refOfReply(currentThreadPart(found)?.media),
  });
}

function ownReplies(job: Job, posts: readonly ListedPost[]): OwnReplies {
  return {
    find: (part) => {
      const reply = posts.findLast((post) => repliedTo(post) === part.replyTo && isReplyWith(post, part, job));
      return reply && { id: reply.id, url: postUrl(job, reply.id) };
    },
    hasSimilar: ({ replyTo, caption }) =>
      posts.some((post) => repliedTo(post) === replyTo || isSimilar(originalText(post, job), caption)),
  };
}

function decideUnlisted(job: Job, commitRef: CommitRef, committedAt: number): VerifyOutcome {
  const sentBefore =
    commitRef.sendCount > 1 || (commitRef.sentAt !== null && commitRef.sentAt - committedAt > LOOKBACK_MS);
  if (sentBefore) {
    return { state: "cannot_tell", detail: "the post was sent twice and not found" };
  }
  if (commitRef.duplicate) {
    const source = { httpStatus: 403, platformCode: null };
    const message = "X refused the text: this account has just posted the same text.";
    return { state: "refused", fault: rejected(message, source, { code: DUPLICATE_CODE, category: "duplicate" }) };
  }
  return canSendAgain(job) ? { state: "absent" } : RESEND_RULED_OUT;
}

const RESEND_RULED_OUT: VerifyOutcome = {
  state: "cannot_tell",
  detail: "not found, and a second post could not be ruled out",
};

function canSendAgain(job: Job): boolean {
  return job.account.app.settings["RESEND"] !== "never" && normalizeText(job.caption).length >= MIN_COMPARABLE_LENGTH;
}

/**
 * Lists posts that could be this one. Text and number of media are compared, because X does not say which app a post is
 * from.
 */
async function listCandidates(client: PlatformClient, job: Job, since: number): Promise<CandidateList> {
  const listed = await listSince(client, job, since);
  return listed.ok
    ? {
        ok: true,
        candidates: listed.posts
          .filter((post) => isSince(post, since))
          .map((post) => ({ id: post.id, url: postUrl(job, post.id), isMatch: hasSameContent(post, job) })),
      }
    : { ok: false, outcome: { state: "again", afterSeconds: listed.afterSeconds, isProcessing: false } };
}

type ListResult =
  | { readonly ok: true; readonly posts: readonly ListedPost[] }
  | { readonly ok: false; readonly afterSeconds: number };

/**
 * Lists the account's posts since `since`, newest first. An incomplete list is an error, because it does not prove
 * absence.
 */
async function listSince(client: PlatformClient, job: Job, since: number): Promise<ListResult> {
  const posts: ListedPost[] = [];
  let nextToken: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const response = await readTimeline(client, job, since, nextToken);
    const list = isOk(response) ? parseBody(PostList, response) : undefined;
    if (!list) {
      const retryAfter = isOk(response) ? undefined : toFault(response, job.now).retryAfterSeconds;
      return { ok: false, afterSeconds: retryAfter ?? RETRY_SECONDS };
    }
    posts.push(...(list.data ?? []));
    if (!list.meta.next_token) {
      return { ok: true, posts };
    }
    nextToken = list.meta.next_token;
  }
  return { ok: false, afterSeconds: RETRY_SECONDS };
}

/** Reads a page of the list, and again with the other spelling of the fields if X does not know the first. */
async function readTimeline(
  client: PlatformClient,
  job: Job,
  since: number,
  nextToken: string | undefined,
): Promise<PlatformResponse> {
  const isThread = threadCaptions(job.options).length > 0;
  const read = async ({ param, note, replies }: (typeof FIELD_SPELLINGS)[number]) =>
    await callPlatform(
      client,
      withQuery(`${API_ORIGIN}/2/users/${encodeURIComponent(job.account.platformAccountId)}/tweets`, {
        max_results: 100,
        start_time: `${new Date(since).toISOString().slice(0, 19)}Z`,
        exclude: "retweets",
        [param]: `${POST_FIELDS},${note}${isThread ? replies.field : ""}`,
        expansions: isThread ? replies.expansions : undefined,
        pagination_token: nextToken,
      }),
      { headers: bearerHeader(job.account.accessToken) },
    );
  const response = await read(FIELD_SPELLINGS[0]);
  return response.status === 400 ? await read(FIELD_SPELLINGS[1]) : response;
}

function isSince(post: ListedPost, since: number): boolean {
  const createdAt = Date.parse(post.created_at ?? "");
  return !Number.isFinite(createdAt) || createdAt >= since;
}

function isPublishedPost(post: ListedPost, job: Job, commitRef: CommitRef): boolean {
  return hasMediaKeys(post, commitRef) || (normalizeText(job.caption) !== "" && hasSameContent(post, job));
}

/** Whether a listed post has the keys of the uploaded media. */
function hasMediaKeys(post: ListedPost, { mediaKeys }: CommitRef): boolean {
  const listed = post.attachments?.media_keys ?? [];
  return mediaKeys.length > 0 && mediaKeys.every((key) => listed.includes(key));
}

function hasSameContent(post: ListedPost, job: Job): boolean {
  return (
    (post.attachments?.media_keys ?? []).length === job.media.length &&
    normalizeText(originalText(post, job)) === normalizeText(job.caption)
  );
}

/**
 * The text of a listed post as it was sent: HTML entities and short URLs expanded, without the URLs of media and of the
 * quoted post.
 */
function originalText(post: ListedPost, job: Job): string {
  const longText = post.note_tweet ?? post.note_post;
  const entities = (longText ?? post).entities;
  const quote = findQuotedPost(job);
  let text = unescapeHtml(longText?.text ?? post.text ?? "");
  for (const { url, expanded_url: expanded } of entities?.urls ?? []) {
    const isAppended =
      /\/status\/\d+\/(?:photo|video)\//.test(expanded ?? "") || (quote && expanded?.includes(`/status/${quote.id}`));
    text = text.replace(url, isAppended ? "" : (expanded ?? url));
  }
  return text;
}
