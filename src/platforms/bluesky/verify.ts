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
 * `verify` looks a missing record up a second time. The first lookup follows the call at once. One at least this long after
 * the call counts as the second, because the call itself has ended long before.
 */
const SECOND_LOOKUP_AFTER_MS = 45 * SECOND;
const RETRY_SECONDS = 15;

/**
 * Reads the record by its key, which the row gives even without a reference. A thread then goes on with the part after the one that it
 * finds: the key of each part prevents a second one.
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

/** Only the account's own server can know that a record does not exist, so this first checks that it still is that server. */
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
