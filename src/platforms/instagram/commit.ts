import type { JsonValue } from "#core/json.ts";
import { type PlatformResponse, isOk, parseBody } from "#platforms/response.ts";
import type { CommitOutcome, Job, PlatformClient } from "#platforms/contract.ts";
import { ContainerRef } from "#platforms/prepare-containers.ts";
import { graphCode, graphError, graphPost } from "#platforms/graph-api.ts";
import { PublishedMedia } from "./answers.ts";
import { EXPIRED_SUBCODE, isUncertainCommit, RESTRICTED_SUBCODE, toFault } from "./errors.ts";
import { readContainerStatus } from "./container-status.ts";
import { graphUrl, republishesUnread } from "./hosts.ts";
import { readPermalink } from "./permalink.ts";

export async function commit(client: PlatformClient, job: Job, ref: JsonValue): Promise<CommitOutcome> {
  const commitRef = ContainerRef.parse(ref);
  if (isRepeatedCall(job) && !republishesUnread(job.account.app)) {
    const status = await readContainerStatus(client, job, commitRef.containerId);
    if (status !== "FINISHED") {
      // The earlier call may have been carried out since `verify` looked: `verify` decides on the new status.
      return { state: "uncertain", detail: `the container has the status ${status}`, httpStatus: null };
    }
  }
  const url = `${graphUrl(job.account)}/${encodeURIComponent(job.account.platformAccountId)}/media_publish`;
  const response = await graphPost(client, url, job.account.accessToken, { creation_id: commitRef.containerId });
  const published = isOk(response) ? parseBody(PublishedMedia, response) : undefined;
  if (published) {
    return { state: "published", remoteId: published.id, url: await readPermalink(client, job, published.id) };
  }
  const error = graphError(response);
  if (error?.subcode === EXPIRED_SUBCODE) {
    return { state: "stale", detail: "the prepared post has expired" };
  }
  if (isUncertainCommit(response)) {
    const isRestricted = error?.subcode === RESTRICTED_SUBCODE;
    return {
      state: "uncertain",
      detail: describeResponse(response),
      httpStatus: response.status,
      ref: isRestricted ? { ...commitRef, restrictedCount: commitRef.restrictedCount + 1 } : commitRef,
    };
  }
  const fault = toFault(response);
  // A temporary fault means that a new container may succeed: this one was refused and is not published.
  return fault.kind === "temporary" ? { state: "stale", detail: fault.message } : { state: "refused", fault };
}

/** A call for this container was sent before, and its response was lost. */
function isRepeatedCall({ committedAt, lastCommittedAt }: Job): boolean {
  return committedAt !== null && lastCommittedAt !== null && committedAt < lastCommittedAt;
}

function describeResponse(response: PlatformResponse): string {
  const error = graphError(response);
  return error ? `Instagram answered ${graphCode(error)}` : `Instagram answered ${response.status}`;
}
