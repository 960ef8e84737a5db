import type { JsonValue } from "#core/json.ts";
import { callPlatform, isOk, parseBody } from "#platforms/response.ts";
import type { CommitOutcome, Job, PlatformClient } from "#platforms/contract.ts";
import { ContainerRef } from "#platforms/prepare-containers.ts";
import { bearerHeader, withQuery } from "#platforms/request-encoding.ts";
import { threadPartOutcome } from "#platforms/thread.ts";
import { graphCode, graphError, graphPost } from "#platforms/graph-api.ts";
import { PublishedPost } from "./answers.ts";
import { isUncertainCommit, isContainerNotFound, RESTRICTED_SUBCODE, toFault } from "./errors.ts";
import { graphUrl } from "./hosts.ts";

/**
 * Publishes the container. `auto_publish_text` is not used: it publishes without a container, whose status `verify`
 * needs.
 */
export async function commit(client: PlatformClient, job: Job, ref: JsonValue): Promise<CommitOutcome> {
  const commitRef = ContainerRef.parse(ref);
  const publishUrl = `${graphUrl(job.account.app)}/${encodeURIComponent(job.account.platformAccountId)}/threads_publish`;
  const response = await graphPost(client, publishUrl, job.account.accessToken, { creation_id: commitRef.containerId });
  const published = isOk(response) ? parseBody(PublishedPost, response) : undefined;
  if (published) {
    const url = await readPermalink(client, job, published.id);
    return threadPartOutcome(job, { id: published.id, url }, null);
  }
  if (isUncertainCommit(response)) {
    const error = graphError(response);
    const nextRef: ContainerRef = {
      ...commitRef,
      restrictedCount: commitRef.restrictedCount + (error?.subcode === RESTRICTED_SUBCODE ? 1 : 0),
      notFoundCount: commitRef.notFoundCount + (isContainerNotFound(error) ? 1 : 0),
    };
    const detail = `Threads answered ${error ? graphCode(error) : response.status}`;
    return { state: "uncertain", detail, httpStatus: response.status, ref: nextRef };
  }
  const fault = toFault(response);
  return fault.kind === "temporary" ? { state: "stale", detail: fault.message } : { state: "refused", fault };
}

/** The address of a post. Null instead of an error, because the post is already published and must not fail now. */
async function readPermalink(client: PlatformClient, job: Job, id: string): Promise<string | null> {
  try {
    const url = withQuery(`${graphUrl(job.account.app)}/${encodeURIComponent(id)}`, { fields: "id,permalink" });
    const response = await callPlatform(client, url, {
      headers: bearerHeader(job.account.accessToken),
      timeoutMs: 5000,
    });
    return (isOk(response) ? parseBody(PublishedPost, response)?.permalink : undefined) ?? null;
  } catch {
    return null;
  }
}
