import { MINUTE, SECOND } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import type { Fault, Job, PlatformClient, VerifyOutcome } from "#platforms/contract.ts";
import { rejected } from "#platforms/fault.ts";
import { type PlatformResponse, isOk, parseBody } from "#platforms/response.ts";
import { verifyAgainIn } from "#platforms/verify-again.ts";
import { matchByRow, searchSince, waitUntilListedMs } from "#platforms/verify-by-row.ts";
import { MediaAttachment, Profile, Status } from "./answers.ts";
import { type Server, accountServer, callServer, toAccountId } from "./api.ts";
import { statusUrl } from "./commit.ts";
import { toFault } from "./errors.ts";
import { findPost, listByContent } from "./find-post.ts";
import { readCapabilities } from "./limits.ts";
import { CommitRef } from "./refs.ts";

/** Reading early does no harm; only a repeated call has to wait. */
const FIRST_CHECK_MS = 10 * SECOND;
const REFUSAL_CHECK_MS = 3 * SECOND;
/**
 * A front end gives up after two minutes while the server still works on the call, and up to 4.5 a repeated call then makes
 * a second post.
 */
const ABSENT_AFTER_MS = 3 * MINUTE;
/** Servers keep an idempotency key for one hour: later, a repeated call would make a second post. */
const REPEAT_UNTIL_MS = 50 * MINUTE;
const CLOCK_TOLERANCE_MS = 2 * MINUTE;
const RETRY_SECONDS = 60;
/** A recorded commit younger than this belongs to the same call. */
const SAME_SEND_MS = 10 * SECOND;
const HIDDEN_AFTER_MS = MINUTE;

export async function verify(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome> {
  const server = accountServer(job.account);
  if (ref === null) {
    return await verifyWithoutReference(client, job, server);
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
  const found = await findPost(client, job, server, commitRef.mediaIds, firstSentAt - CLOCK_TOLERANCE_MS);
  switch (found.state) {
    case "one":
      return { state: "published", remoteId: found.status.id, url: statusUrl(found.status) };
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

/** The idempotency key is known from the row: sending again is as safe as with a reference. */
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

/** A refused lookup proves nothing; only a login that has ended is worth telling. */
function unreadable(response: PlatformResponse | null, job: Job): VerifyOutcome {
  const fault: Fault | null = response && !isOk(response) ? toFault(response, job.now) : null;
  return fault?.kind === "reconnect"
    ? { state: "refused", fault }
    : { state: "again", afterSeconds: fault?.retryAfterSeconds ?? RETRY_SECONDS, isProcessing: false };
}

/** A server that no longer knows the token answers the list as it does to strangers: without private posts, and without an error. */
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

/** `committedAt` is the time of the first call, so a later send is a repetition, also where a crash hid the first one. */
function isRepeated(commitRef: CommitRef, firstSentAt: number): boolean {
  return commitRef.sendCount > 1 || (commitRef.sentAt ?? 0) - firstSentAt > SAME_SEND_MS;
}

/** The post was looked for and is not there, so the refusal of the last call counts. */
async function decideRefused(
  client: PlatformClient,
  server: Server,
  commitRef: CommitRef,
  wasRepeated: boolean,
): Promise<VerifyOutcome> {
  const { status, message } = commitRef.refusal ?? { status: 0, message: "" };
  if (wasRepeated && status === 404) {
    // The key of a post that was deleted since.
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

/** A post that the server answered with and does not show was dropped by its spam filter: sending it again would not help. */
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
    return { state: "published", remoteId: status.id, url: statusUrl(status) };
  }
  if (response.status !== 404) {
    return unreadable(response, job);
  }
  return elapsed < HIDDEN_AFTER_MS
    ? verifyAgainIn(HIDDEN_AFTER_MS - elapsed)
    : { state: "cannot_tell", detail: "the server accepted the post and does not show it" };
}
