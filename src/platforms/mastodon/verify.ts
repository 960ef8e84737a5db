import { MINUTE, SECOND } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import type { Fault, Job, PlatformClient, VerifyOutcome } from "#platforms/contract.ts";
import { rejected } from "#platforms/fault.ts";
import { withQuery } from "#platforms/request-encoding.ts";
import { type PlatformResponse, isOk, parseBody } from "#platforms/response.ts";
import { jobOfPart, threadCaptions } from "#platforms/thread.ts";
import { verifyAgainIn } from "#platforms/verify-again.ts";
import { matchByRow, searchSince, waitUntilListedMs, type ListedCandidate } from "#platforms/verify-by-row.ts";
import { isLostThread, type OwnReplies, verifyLostThread } from "#platforms/verify-thread.ts";
import { MediaAttachment, Profile, Status, StatusList, StatusSource } from "./answers.ts";
import {
  type Server,
  accountServer,
  callServer,
  toAccountId,
  parseExtra,
  serverUrl,
  toServerAccountId,
} from "./api.ts";
import { publishedOutcome, statusUrl } from "./commit.ts";
import { toFault } from "./errors.ts";
import { readCapabilities } from "./limits.ts";
import { COMMON_OPTIONS } from "./options.ts";
import { CommitRef } from "./refs.ts";
import { comparableStatusText } from "./text.ts";

/** The time of the first check (ms). It can be early, because it only reads; only a repeated posting call must wait. */
const FIRST_CHECK_MS = 10 * SECOND;
const REFUSAL_CHECK_MS = 3 * SECOND;
/**
 * How long (ms) a post must be missing before its call is repeated. A proxy can end a call after two minutes while the
 * server still creates the post. Up to 4.5, a repetition in that time creates a second post.
 */
const ABSENT_AFTER_MS = 3 * MINUTE;
/**
 * Until when (ms) a call may be repeated. Servers keep an idempotency key for one hour, and a later repetition creates
 * a second post.
 */
const REPEAT_UNTIL_MS = 50 * MINUTE;
const CLOCK_TOLERANCE_MS = 2 * MINUTE;
const RETRY_SECONDS = 60;
/** If the recorded commit is at most this much (ms) older than the call, both are the same call. */
const SAME_SEND_MS = 10 * SECOND;
const HIDDEN_AFTER_MS = MINUTE;

export async function verify(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome> {
  const server = accountServer(job.account);
  if (isLostThread(ref)) {
    return threadCaptions(job.options).length === 0
      ? await verifyWithoutReference(client, job, server)
      : await verifyThreadFromRow(client, job, ref, server);
  }
  const commitRef = CommitRef.parse(ref);
  const firstSentAt = job.committedAt ?? commitRef.sentAt ?? job.now;
  const elapsed = job.now - Math.max(job.lastCommittedAt ?? firstSentAt, commitRef.sentAt ?? 0);
  const firstCheck = commitRef.refusal ? REFUSAL_CHECK_MS : FIRST_CHECK_MS;
  if (elapsed < firstCheck) {
    return verifyAgainIn(firstCheck - elapsed);
  }
  if (commitRef.createdId !== null) {
    return await verifyCreated(client, job, server, commitRef.createdId, elapsed);
  }
  const found = await findPost(
    client,
    jobOfPart(job, COMMON_OPTIONS),
    server,
    commitRef.mediaIds,
    firstSentAt - CLOCK_TOLERANCE_MS,
  );
  switch (found.state) {
    case "one":
      return publishedOutcome(job, found.status);
    case "several":
      return { state: "cannot_tell", detail: "several posts match" };
    case "unreadable":
      return unreadable(found.response, job);
    case "none":
      break;
  }
  const unusable = await checkLogin(client, job, server);
  if (unusable) {
    return unusable;
  }
  return commitRef.refusal
    ? await decideRefused(client, server, commitRef, isRepeated(commitRef, firstSentAt))
    : decideUnlisted(job, firstSentAt, elapsed);
}

/**
 * Looks for a post without a reference. Sending it again is as safe as with one, because the idempotency key is made
 * from the row.
 */
async function verifyWithoutReference(client: PlatformClient, job: Job, server: Server): Promise<VerifyOutcome> {
  const waitMs = waitUntilListedMs(job, ABSENT_AFTER_MS);
  if (waitMs > 0) {
    return verifyAgainIn(waitMs);
  }
  const listed = await listByContent(client, job, server, searchSince(job));
  if (listed.state === "unreadable") {
    return unreadable(listed.response, job);
  }
  const match = matchByRow(job, listed.candidates);
  switch (match.state) {
    case "one":
      return { state: "published", remoteId: match.candidate.id, url: match.candidate.url };
    case "ambiguous":
      return { state: "cannot_tell", detail: match.detail };
    case "none":
      return (
        (await checkLogin(client, job, server)) ?? decideUnlisted(job, job.committedAt ?? job.dueAt, ABSENT_AFTER_MS)
      );
  }
}

/** Looks for a thread part by part. A missing part may be sent under the same conditions as a post. */
async function verifyThreadFromRow(
  client: PlatformClient,
  job: Job,
  ref: JsonValue,
  server: Server,
): Promise<VerifyOutcome> {
  const unusable = await checkLogin(client, job, server);
  return (
    unusable ??
    (await verifyLostThread(job, ref, {
      listedAfterMs: ABSENT_AFTER_MS,
      findFirst: () => verifyWithoutReference(client, job, server),
      listReplies: () => listOwnReplies(client, job, server),
      mayGoOn: decideUnlisted(job, job.committedAt ?? job.dueAt, ABSENT_AFTER_MS).state === "absent",
      nextRef: () => null,
    }))
  );
}

/**
 * The outcome of a refused lookup. It does not prove that the post is absent, so the check is repeated unless the login
 * has ended.
 */
function unreadable(response: PlatformResponse | null, job: Job): VerifyOutcome {
  const fault: Fault | null = response && !isOk(response) ? toFault(response, job.now) : null;
  return fault?.kind === "reconnect"
    ? { state: "refused", fault }
    : { state: "again", afterSeconds: fault?.retryAfterSeconds ?? RETRY_SECONDS, isProcessing: false };
}

/**
 * Checks the login first. A server that no longer knows the token lists the public posts instead of returning an error.
 */
async function checkLogin(client: PlatformClient, job: Job, server: Server): Promise<VerifyOutcome | null> {
  const response = await callServer(client, server, "/api/v1/accounts/verify_credentials");
  const profile = isOk(response) ? parseBody(Profile, response) : undefined;
  if (!profile) {
    return unreadable(response, job);
  }
  return toAccountId(profile.id, server.host) === job.account.platformAccountId
    ? null
    : { state: "cannot_tell", detail: "the login belongs to another account" };
}

function decideUnlisted(job: Job, firstSentAt: number, elapsed: number): VerifyOutcome {
  if (elapsed < ABSENT_AFTER_MS) {
    return verifyAgainIn(ABSENT_AFTER_MS - elapsed);
  }
  if (readCapabilities(job.account.capabilities).software === "other") {
    return { state: "cannot_tell", detail: "not found, and this server does not recognize repeated calls" };
  }
  return job.now - firstSentAt > REPEAT_UNTIL_MS
    ? { state: "cannot_tell", detail: "not found, and too late to send it again without the risk of a second post" }
    : { state: "absent" };
}

/**
 * Whether the call was sent twice. `committedAt` is the time of the first call, so a later send is a repetition, even
 * if a crash lost the count.
 */
function isRepeated(commitRef: CommitRef, firstSentAt: number): boolean {
  return commitRef.sendCount > 1 || (commitRef.sentAt ?? 0) - firstSentAt > SAME_SEND_MS;
}

/** Decides about a refused call after `verify` has not found the post, so that the refusal is real. */
async function decideRefused(
  client: PlatformClient,
  server: Server,
  commitRef: CommitRef,
  wasRepeated: boolean,
): Promise<VerifyOutcome> {
  const { status, message } = commitRef.refusal ?? { status: 0, message: "" };
  if (wasRepeated && status === 404) {
    // A repeated call gets 404 if the post of the first call was deleted.
    return { state: "cannot_tell", detail: "the post existed and was deleted at the server" };
  }
  for (const id of commitRef.mediaIds) {
    const response = await callServer(client, server, `/api/v1/media/${encodeURIComponent(id)}`);
    if (response.status === 404 || response.status === 206) {
      return { state: "stale", detail: "the server no longer has the uploaded media" };
    }
    if (!isOk(response) || !parseBody(MediaAttachment, response)) {
      break;
    }
  }
  return {
    state: "refused",
    fault: rejected(message, { httpStatus: status }, { code: status === 413 ? "media_too_large" : "content_refused" }),
  };
}

/**
 * Decides about a post that the server confirmed. If it is not shown, the spam filter has dropped it, so another call
 * would not help.
 */
async function verifyCreated(
  client: PlatformClient,
  job: Job,
  server: Server,
  id: string,
  elapsed: number,
): Promise<VerifyOutcome> {
  const response = await callServer(client, server, `/api/v1/statuses/${encodeURIComponent(id)}`);
  const status = isOk(response) ? parseBody(Status, response) : undefined;
  if (status) {
    return publishedOutcome(job, status);
  }
  if (response.status !== 404) {
    return unreadable(response, job);
  }
  return elapsed < HIDDEN_AFTER_MS
    ? verifyAgainIn(HIDDEN_AFTER_MS - elapsed)
    : { state: "cannot_tell", detail: "the server accepted the post and does not show it" };
}

const PAGE_SIZE = 40;
const MAX_PAGES = 5;

type FindResult =
  | { readonly state: "one"; readonly status: Status }
  | { readonly state: "several" }
  | { readonly state: "none" }
  /** The list could not be read completely. It then does not prove that the post is absent. */
  | { readonly state: "unreadable"; readonly response: PlatformResponse | null };

type Part = ReturnType<typeof jobOfPart>;

/** Looks for the post among those that the account has published since `since`. */
async function findPost(
  client: PlatformClient,
  job: Part,
  server: Server,
  mediaIds: readonly string[],
  since: number,
): Promise<FindResult> {
  const listed = await listSince(client, job, server, since);
  if (!listed.ok) {
    return { state: "unreadable", response: listed.response };
  }
  if (mediaIds.length > 0) {
    const status = listed.statuses.find((each) => hasMedia(each, mediaIds));
    return status ? { state: "one", status } : { state: "none" };
  }
  const found = await filterByText(
    client,
    job,
    server,
    listed.statuses.filter(
      (status) =>
        isOfThisApp(status, job) && isReplyTo(status, job.replyTo) && (status.media_attachments ?? []).length === 0,
    ),
  );
  if (!found.ok) {
    return { state: "unreadable", response: found.response };
  }
  const [status, ...others] = found.statuses;
  return status ? (others.length > 0 ? { state: "several" } : { state: "one", status }) : { state: "none" };
}

type ContentList =
  | { readonly state: "listed"; readonly candidates: readonly ListedCandidate[] }
  | { readonly state: "unreadable"; readonly response: PlatformResponse | null };

/**
 * Lists the account's posts since `since`. A post matches if this app sent it and it has the same texts and kinds of
 * media.
 */
async function listByContent(client: PlatformClient, job: Job, server: Server, since: number): Promise<ContentList> {
  const listed = await listSince(client, job, server, since);
  const found = listed.ok
    ? await filterByText(
        client,
        job,
        server,
        listed.statuses.filter(
          (status) => isOfThisApp(status, job) && isReplyTo(status, null) && hasSameKindsOfMedia(status, job.media),
        ),
      )
    : listed;
  if (!listed.ok || !found.ok) {
    return { state: "unreadable", response: found.ok ? null : found.response };
  }
  return {
    state: "listed",
    candidates: listed.statuses.map((status) => ({
      id: status.id,
      url: statusUrl(status),
      isMatch: found.statuses.includes(status),
    })),
  };
}

/** Keeps the posts whose source has the same texts as the job. */
async function filterByText(
  client: PlatformClient,
  job: Job,
  server: Server,
  statuses: readonly Status[],
): Promise<ListResult> {
  const read = await readSources(client, server, statuses);
  return read.ok
    ? { ok: true, statuses: read.sources.flatMap(({ status, source }) => (isSameText(source, job) ? [status] : [])) }
    : read;
}

type SourceList =
  | { readonly ok: true; readonly sources: readonly { readonly status: Status; readonly source: StatusSource }[] }
  | { readonly ok: false; readonly response: PlatformResponse };

async function readSources(client: PlatformClient, server: Server, statuses: readonly Status[]): Promise<SourceList> {
  const sources: { readonly status: Status; readonly source: StatusSource }[] = [];
  for (const status of statuses) {
    const response = await callServer(client, server, `/api/v1/statuses/${encodeURIComponent(status.id)}/source`);
    const source = isOk(response) ? parseBody(StatusSource, response) : undefined;
    // A 404 means that the post was deleted after it was listed.
    if (!source && response.status !== 404) {
      return { ok: false, response };
    }
    if (source) {
      sources.push({ status, source });
    }
  }
  return { ok: true, sources };
}

/** Lists the account's replies by this app. Undefined if they cannot be read completely. */
async function listOwnReplies(client: PlatformClient, job: Job, server: Server): Promise<OwnReplies | undefined> {
  const listed = await listSince(client, job, server, searchSince(job));
  const read = listed.ok
    ? await readSources(
        client,
        server,
        listed.statuses.filter((status) => isOfThisApp(status, job) && !isReplyTo(status, null)),
      )
    : listed;
  if (!read.ok) {
    return undefined;
  }
  const { options } = job;
  return {
    find: ({ replyTo, caption, media }) => {
      const found = read.sources.find(
        ({ status, source }) =>
          isReplyTo(status, replyTo) && hasSameKindsOfMedia(status, media) && isSameText(source, { caption, options }),
      );
      return found && { id: found.status.id, url: statusUrl(found.status) };
    },
    hasSimilar: ({ replyTo, caption }) =>
      read.sources.some(
        ({ status, source }) =>
          isReplyTo(status, replyTo) || comparableStatusText(source.text) === comparableStatusText(caption),
      ),
  };
}

type ListResult =
  | { readonly ok: true; readonly statuses: readonly Status[] }
  | { readonly ok: false; readonly response: PlatformResponse | null };

/** Lists the account's posts since `since`, newest first. */
async function listSince(client: PlatformClient, job: Job, server: Server, since: number): Promise<ListResult> {
  const path = `/api/v1/accounts/${encodeURIComponent(toServerAccountId(job.account.platformAccountId))}/statuses`;
  const statuses: Status[] = [];
  let maxId: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const url = withQuery(serverUrl(server, path), { limit: PAGE_SIZE, exclude_reblogs: true, max_id: maxId });
    const response = await callServer(client, server, url);
    const list = isOk(response) ? parseBody(StatusList, response) : undefined;
    if (!list) {
      return { ok: false, response };
    }
    statuses.push(...list.filter((status) => !isBefore(status, since)));
    const last = list.at(-1);
    if (!last || isBefore(last, since)) {
      return { ok: true, statuses };
    }
    maxId = last.id;
  }
  return { ok: false, response: null };
}

function isBefore(status: Status, time: number): boolean {
  return Date.parse(status.created_at ?? "") < time;
}

function hasMedia(status: Status, mediaIds: readonly string[]): boolean {
  const ids = new Set(status.media_attachments?.map((media) => media.id));
  return mediaIds.every((id) => ids.has(id));
}

function isReplyTo({ in_reply_to_id: id }: Status, replyTo: string | null): boolean {
  return (id ?? null) === replyTo;
}

function isOfThisApp(status: Status, job: Job): boolean {
  return status.application?.name === parseExtra(job.account.extra)?.clientName;
}

/**
 * Whether a listed post has the same kinds of media. A server may turn a video without sound into `gifv`, and names no
 * kind while it processes a file.
 */
function hasSameKindsOfMedia(status: Status, media: Job["media"]): boolean {
  const listed = status.media_attachments ?? [];
  return (
    listed.length === media.length &&
    listed.every(({ type }, index) => {
      const isImage = media[index]?.type === "image";
      return type === "image" ? isImage : type === "video" ? !isImage : true;
    })
  );
}

/** Whether a listed post has the same texts. In a post without text, the content warning becomes the text. */
function isSameText(source: StatusSource, job: Pick<Job, "caption" | "options">): boolean {
  const option = job.options["spoiler_text"];
  const spoilerText = typeof option === "string" ? option.trim() : "";
  const [text, spoiler] = job.caption.trim() === "" ? [spoilerText, ""] : [job.caption, spoilerText];
  return (
    comparableStatusText(source.text) === comparableStatusText(text) &&
    comparableStatusText(source.spoiler_text ?? "") === comparableStatusText(spoiler)
  );
}
