import type { JsonValue } from "#core/json.ts";
import { isOk, read } from "#platforms/answer.ts";
import {
  DENIAL_MS,
  type Listed,
  listedOf,
  restricted,
  type Silence,
  verifyContainer,
} from "#platforms/container-verify.ts";
import type { Job, VerifyOutcome, PlatformClient } from "#platforms/contract.ts";
import { graphError, graphGet, nextCursor } from "#platforms/graph.ts";
import { later } from "#platforms/later.ts";
import { Container, MediaList } from "./answers.ts";
import { graphOf } from "./hosts.ts";

const PER_PAGE = 100;
const MOST_PAGES = 10;

export function verify(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome> {
  return verifyContainer(job, ref, {
    container: (id) => containerState(client, job, id),
    find: (since) => findPost(client, job, since),
    silence,
  });
}

function silence({ plan, container, elapsedMs }: Silence): VerifyOutcome {
  if (elapsedMs < DENIAL_MS) {
    return later(DENIAL_MS - elapsedMs);
  }
  switch (container) {
    case "FINISHED":
      return plan.restricted > 0
        ? { state: "refused", fault: restricted("Instagram", "4/2207051") }
        : { state: "absent" };
    case "ERROR":
    case "EXPIRED":
      return { state: "stale", detail: `the container is ${container.toLowerCase()} and was not published` };
    case "IN_PROGRESS":
      return { state: "again", afterSeconds: 30, known: false };
    default:
      return { state: "cannot_tell", detail: "the container is gone and no post like it is there" };
  }
}

async function containerState(client: PlatformClient, job: Job, id: string): Promise<string> {
  const answer = await graphGet(client, `${graphOf(job.account)}/${encodeURIComponent(id)}`, job.account.loginToken, {
    fields: "status_code",
  });
  const container = isOk(answer) ? read(Container, answer) : undefined;
  if (container) {
    return container.status_code;
  }
  const error = graphError(answer);
  return error?.code === 24 || (error?.code === 100 && error.subcode === 33) ? "LOST" : "unreadable";
}

async function findPost(client: PlatformClient, job: Job, since: number): Promise<Listed> {
  const url = `${graphOf(job.account)}/${encodeURIComponent(job.account.platformAccountId)}/media`;
  const hits: { id: string; permalink: string | null }[] = [];
  let after: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await graphGet(client, url, job.account.loginToken, {
      fields: "id,caption,timestamp,permalink",
      limit: PER_PAGE,
      after,
    });
    const list = isOk(answer) ? read(MediaList, answer) : undefined;
    if (!list) {
      return { state: "unreadable" };
    }
    const recent = list.data.filter((post) => Date.parse(post.timestamp ?? "") >= since);
    hits.push(
      ...recent
        .filter((post) => (post.caption ?? "").trim() === job.caption.trim())
        .map((post) => ({ id: post.id, permalink: post.permalink ?? null })),
    );
    after = nextCursor(list.paging);
    if (after === undefined || recent.length < list.data.length) {
      break;
    }
  }
  return listedOf(hits);
}
