import type { JsonValue } from "#core/json.ts";
import { type Answer, isOk, read } from "#platforms/answer.ts";
import type { CommitOutcome, Job, PlatformClient } from "#platforms/contract.ts";
import { ContainerRef } from "#platforms/containers.ts";
import { graphCode, graphError, graphPost } from "#platforms/graph.ts";
import { Published } from "./answers.ts";
import { EXPIRED_SUBCODE, isDoubtful, RESTRICTED_SUBCODE, toFault } from "./errors.ts";
import { graphOf } from "./hosts.ts";
import { permalink } from "./permalink.ts";

export async function commit(client: PlatformClient, job: Job, ref: JsonValue): Promise<CommitOutcome> {
  const plan = ContainerRef.parse(ref);
  const url = `${graphOf(job.account)}/${encodeURIComponent(job.account.platformAccountId)}/media_publish`;
  const answer = await graphPost(client, url, job.account.accessToken, { creation_id: plan.container });
  const published = isOk(answer) ? read(Published, answer) : undefined;
  if (published) {
    return { state: "published", remoteId: published.id, url: await permalink(client, job, published.id) };
  }
  const error = graphError(answer);
  if (error?.subcode === EXPIRED_SUBCODE) {
    return { state: "stale", detail: "the prepared post has expired" };
  }
  if (isDoubtful(answer)) {
    const isRestricted = error?.subcode === RESTRICTED_SUBCODE;
    return {
      state: "uncertain",
      detail: told(answer),
      httpStatus: answer.status,
      ref: isRestricted ? { ...plan, restricted: plan.restricted + 1 } : plan,
    };
  }
  const fault = toFault(answer);
  // What asks for a new container gets one: this one was refused and is not public.
  return fault.kind === "temporary" ? { state: "stale", detail: fault.message } : { state: "refused", fault };
}

function told(answer: Answer): string {
  const error = graphError(answer);
  return error ? `Instagram answered ${graphCode(error)}` : `Instagram answered ${answer.status}`;
}
