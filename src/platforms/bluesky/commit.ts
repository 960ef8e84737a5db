import { SECOND } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import type { CommitOutcome, Fault, Job, PlatformClient } from "#platforms/contract.ts";
import { postJson } from "#platforms/request-encoding.ts";
import { isOk, parseBody } from "#platforms/response.ts";
import { threadPartOutcome } from "#platforms/thread.ts";
import { CreatedRecord } from "./answers.ts";
import { errorName, isBlobLost, isDefiniteRefusal, recordFault } from "./errors.ts";
import { COLLECTION, postUri, postUrl } from "./hosts.ts";
import { CommitRef } from "./refs.ts";
import { openAccountServer, sessionUnreadable } from "./api.ts";

/**
 * The timeout of the call that creates the post. It is the value of `RobustHTTPClient` in util/http.go of
 * https://github.com/bluesky-social/indigo, which is made for XRPC clients. `@atproto/api` and the official app set no
 * timeout.
 */
const CREATE_TIMEOUT_MS = 30 * SECOND;

/**
 * Creates the record under a key that is chosen beforehand, so that a second call cannot create a second post. The
 * server answers a second call with a bare 500. So `verify` looks the record up after any unclear answer.
 */
export async function commit(client: PlatformClient, job: Job, ref: JsonValue): Promise<CommitOutcome> {
  const commitRef = CommitRef.parse(ref);
  const server = openAccountServer(client, job.account.extra, job.account.accessToken);
  if (!server) {
    return { state: "refused", fault: sessionUnreadable() };
  }
  const { did } = server.session;
  const sentRef: CommitRef = { ...commitRef, sendCount: commitRef.sendCount + 1, sentAt: job.now };
  const body = { repo: did, collection: COLLECTION, rkey: commitRef.recordKey, record: commitRef.record };
  const response = await server
    .call("com.atproto.repo.createRecord", { ...postJson(body), timeoutMs: CREATE_TIMEOUT_MS })
    .catch(() => null);
  if (!response) {
    return {
      state: "uncertain",
      detail: "the connection to the account's server broke",
      httpStatus: null,
      ref: sentRef,
    };
  }
  const uri = postUri(did, commitRef.recordKey);
  if (isOk(response) && parseBody(CreatedRecord, response)?.uri === uri) {
    return threadPartOutcome(job, { id: uri, url: postUrl(did, commitRef.recordKey) }, null);
  }
  const fault = recordFault(response, job.now);
  const isRepeated = commitRef.sendCount > 0;
  if (!isDefiniteRefusal(response)) {
    const isRefused = response.status >= 400 && response.status < 500;
    return {
      state: "uncertain",
      detail: `the account's server answered ${errorName(response) ?? response.status}`,
      httpStatus: response.status,
      ref: isRepeated && isRefused ? withRefusal(sentRef, fault, response.status) : sentRef,
    };
  }
  if (isBlobLost(response)) {
    return { state: "stale", detail: fault.message };
  }
  // A server may one day refuse an existing key in this way. After an unclear first call, `verify` must look the record
  // up.
  return fault.kind === "rejected" && isRepeated
    ? {
        state: "uncertain",
        detail: fault.message,
        httpStatus: response.status,
        ref: withRefusal(sentRef, fault, response.status),
      }
    : { state: "refused", fault };
}

/** Keeps the refusal of a repeated call. If the lookup does not find the record, this refusal is the reason. */
function withRefusal(sentRef: CommitRef, { message, platformCode }: Fault, httpStatus: number): CommitRef {
  return { ...sentRef, refusal: { message, platformCode, httpStatus } };
}
