import type { JsonValue } from "#core/json.ts";
import { call, isOk, read } from "#platforms/answer.ts";
import type { CommitOutcome, Job, PlatformClient } from "#platforms/contract.ts";
import { ContainerRef } from "#platforms/containers.ts";
import { bearer, withQuery } from "#platforms/form.ts";
import { graphCode, graphError, graphPost } from "#platforms/graph.ts";
import { Published } from "./answers.ts";
import { isDoubtful, isNotFound, RESTRICTED_SUBCODE, toFault } from "./errors.ts";
import { graphOf } from "./hosts.ts";

/** Never with `auto_publish_text`: no container would be left to ask what became of the call. */
export async function commit(client: PlatformClient, job: Job, ref: JsonValue): Promise<CommitOutcome> {
  const plan = ContainerRef.parse(ref);
  const url = `${graphOf(job.account.app)}/${encodeURIComponent(job.account.platformAccountId)}/threads_publish`;
  const answer = await graphPost(client, url, job.account.accessToken, { creation_id: plan.container });
  const published = isOk(answer) ? read(Published, answer) : undefined;
  if (published) {
    return { state: "published", remoteId: published.id, url: await permalink(client, job, published.id) };
  }
  if (isDoubtful(answer)) {
    const error = graphError(answer);
    const seen: ContainerRef = {
      ...plan,
      restricted: plan.restricted + (error?.subcode === RESTRICTED_SUBCODE ? 1 : 0),
      notFound: plan.notFound + (isNotFound(error) ? 1 : 0),
    };
    const detail = `Threads answered ${error ? graphCode(error) : answer.status}`;
    return { state: "uncertain", detail, httpStatus: answer.status, ref: seen };
  }
  const fault = toFault(answer);
  return fault.kind === "temporary" ? { state: "stale", detail: fault.message } : { state: "refused", fault };
}

/** Left out for some posts and unreadable for others; it never fails one that is public. */
async function permalink(client: PlatformClient, job: Job, id: string): Promise<string | null> {
  try {
    const url = withQuery(`${graphOf(job.account.app)}/${encodeURIComponent(id)}`, { fields: "id,permalink" });
    const answer = await call(client, url, { headers: bearer(job.account.accessToken), timeoutMs: 5000 });
    return (isOk(answer) ? read(Published, answer)?.permalink : undefined) ?? null;
  } catch {
    return null;
  }
}
