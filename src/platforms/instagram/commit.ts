import type { JsonValue } from "#core/json.ts";
import type { CommitOutcome, Job, PlatformClient } from "#platforms/contract.ts";
import { graphCode, graphError, graphPost, graphGet } from "#platforms/graph-api.ts";
import { ContainerRef } from "#platforms/prepare-containers.ts";
import { bearerHeader, withQuery } from "#platforms/request-encoding.ts";
import { type PlatformResponse, isOk, parseBody, callPlatform } from "#platforms/response.ts";
import { PublishedMedia, Container } from "./answers.ts";
import { EXPIRED_SUBCODE, isUncertainCommit, RESTRICTED_SUBCODE, toFault } from "./errors.ts";
import { graphUrl, republishesUnread } from "./hosts.ts";

export async function commit(client: PlatformClient, job: Job, ref: JsonValue): Promise<CommitOutcome> {
  const commitRef = ContainerRef.parse(ref);
  if (isRepeatedCall(job) && !republishesUnread(job.account.app)) {
    const status = await readContainerStatus(client, job, commitRef.containerId);
    if (status !== "FINISHED") {
      // The earlier call may have published the container after `verify` read it. Let `verify` read the new status.
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
  // Instagram refused this container and published nothing. A temporary fault means that a new container may succeed.
  return fault.kind === "temporary" ? { state: "stale", detail: fault.message } : { state: "refused", fault };
}

/** Whether an earlier call for this container was sent, whose response is lost. */
function isRepeatedCall({ committedAt, lastCommittedAt }: Job): boolean {
  return committedAt !== null && lastCommittedAt !== null && committedAt < lastCommittedAt;
}

function describeResponse(response: PlatformResponse): string {
  const error = graphError(response);
  return error ? `Instagram answered ${graphCode(error)}` : `Instagram answered ${response.status}`;
}

/** The container's `status_code` as Instagram spells it, LOST if the container does not exist, or "unreadable". */
export async function readContainerStatus(client: PlatformClient, job: Job, id: string): Promise<string> {
  // Use the login's token, because reads with a Page token have failed with error 100/33.
  const url = `${graphUrl(job.account)}/${encodeURIComponent(id)}`;
  const response = await graphGet(client, url, job.account.loginToken, { fields: "status_code" });
  const container = isOk(response) ? parseBody(Container, response) : undefined;
  if (container) {
    return container.status_code;
  }
  const error = graphError(response);
  return error?.code === 24 || (error?.code === 100 && error.subcode === 33) ? "LOST" : "unreadable";
}

/** The address of a post. Null if it cannot be read: the post is already published, so a failure must not fail it. */
async function readPermalink(client: PlatformClient, job: Job, mediaId: string): Promise<string | null> {
  try {
    const url = withQuery(`${graphUrl(job.account)}/${encodeURIComponent(mediaId)}`, { fields: "id,permalink" });
    const response = await callPlatform(client, url, {
      headers: bearerHeader(job.account.loginToken),
      timeoutMs: 5000,
    });
    return (isOk(response) ? parseBody(PublishedMedia, response)?.permalink : undefined) ?? null;
  } catch {
    return null;
  }
}
