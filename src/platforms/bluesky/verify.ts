import type { JsonValue } from "#core/json.ts";
import { SECOND } from "#core/clock.ts";
import type { Job, PlatformClient, VerifyOutcome } from "#platforms/contract.ts";
import { rejected } from "#platforms/fault.ts";
import { isOk, parseBody } from "#platforms/response.ts";
import { currentThreadPart, threadPartOutcome } from "#platforms/thread.ts";
import { verifyAgainIn } from "#platforms/verify-again.ts";
import { StoredRecord } from "./answers.ts";
import { errorName, toFault } from "./errors.ts";
import { postUri, postUrl } from "./hosts.ts";
import { resolveDid } from "./account.ts";
import { CommitRef, recordKey } from "./refs.ts";
import { getRecord, readSession, type Session, sessionUnreadable } from "./api.ts";

/**
 * How long (ms) after the visible call a lookup counts as the second one. `verify` must miss a record twice; the first
 * lookup follows the call at once. By this time the call has certainly ended.
 */
const SECOND_LOOKUP_AFTER_MS = 45 * SECOND;
const RETRY_SECONDS = 15;

/**
 * Looks the record up by its key, which follows from the post's row even without a reference. A thread then continues
 * with the part after the one found. The key of each part prevents a second one.
 */
export async function verify(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome> {
  const session = readSession(job.account.extra);
  if (!session) {
    return { state: "refused", fault: sessionUnreadable() };
  }
  const commitRef = ref === null ? null : CommitRef.parse(ref);
  const rkey = commitRef?.recordKey ?? (await recordKey(job));
  const response = await getRecord(client, session, rkey);
  const record = isOk(response) ? parseBody(StoredRecord, response) : undefined;
  if (record) {
    return record.value.text === (currentThreadPart(job)?.caption ?? job.caption)
      ? threadPartOutcome(job, { id: postUri(session.did, rkey), url: postUrl(session.did, rkey) }, null)
      : { state: "cannot_tell", detail: "another record has the key of this post" };
  }
  if (response.status !== 400 || errorName(response) !== "RecordNotFound") {
    const wait = isOk(response) ? undefined : toFault(response, job.now).retryAfterSeconds;
    return verifyAgainIn((wait ?? RETRY_SECONDS) * SECOND);
  }
  const sinceCall = job.now - Math.max(job.lastCommittedAt ?? job.now, commitRef?.sentAt ?? 0);
  if (sinceCall < SECOND_LOOKUP_AFTER_MS) {
    return verifyAgainIn(SECOND_LOOKUP_AFTER_MS - sinceCall);
  }
  return await absentOutcome(client, session, commitRef);
}

/**
 * The outcome if the record is missing. Only the account's own server can know this, so first check that it still is
 * the account's server.
 */
async function absentOutcome(
  client: PlatformClient,
  session: Session,
  commitRef: CommitRef | null,
): Promise<VerifyOutcome> {
  const identity = await resolveDid(client, session.did);
  if (!identity.ok) {
    return verifyAgainIn(RETRY_SECONDS * SECOND);
  }
  if (identity.value.pds !== session.pds) {
    return { state: "cannot_tell", detail: "the account has moved to another server" };
  }
  if (commitRef?.refusal) {
    const { message, platformCode, httpStatus } = commitRef.refusal;
    return { state: "refused", fault: rejected(message, { platformCode, httpStatus }) };
  }
  return { state: "absent" };
}
