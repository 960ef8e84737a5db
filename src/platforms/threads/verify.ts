import type { JsonValue } from "#core/json.ts";
import { SECOND } from "#core/clock.ts";
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
import { Container, PostList } from "./answers.ts";
import { isNotFound } from "./errors.ts";
import { graphOf } from "./hosts.ts";
import { fingerprint } from "./text.ts";

/** A lost container is given up when the list has stayed silent for this long. */
const LOST_MS = 120 * SECOND;
/** "Not found" was a refusal, and the container is unpublished: the same one is tried again soon, a few times. */
const NOT_FOUND_MS = 30 * SECOND;
const MOST_NOT_FOUND = 3;
/** Three looks before a lost container is given up. */
const LONGEST_PAUSE_MS = 60 * SECOND;
const PER_PAGE = 100;
const MOST_PAGES = 10;

/** What `media_type` of a created container is called in lists. */
const LISTED_AS: Readonly<Record<string, string>> = {
  text: "TEXT_POST",
  carousel: "CAROUSEL_ALBUM",
  image: "IMAGE",
  video: "VIDEO",
};

export function verify(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome> {
  return verifyContainer(job, ref, {
    container: (id) => containerState(client, job, id),
    find: (since) => findPost(client, job, since),
    silence,
  });
}

function silence(seen: Silence): VerifyOutcome {
  const denialMs = denialAfterMs(seen);
  return seen.elapsedMs < denialMs ? later(Math.min(LONGEST_PAUSE_MS, denialMs - seen.elapsedMs)) : denied(seen);
}

/** An unpublished container that was only not found for a moment needs no more patience than the first look had. */
function denialAfterMs({ plan, container }: Silence): number {
  if (plan.notFound > 0) {
    return container === "FINISHED" ? 0 : NOT_FOUND_MS;
  }
  return container === "LOST" ? LOST_MS : DENIAL_MS;
}

function denied({ plan, container, listed }: Silence): VerifyOutcome {
  if (listed === "several") {
    return { state: "cannot_tell", detail: "several posts look like it" };
  }
  switch (container) {
    case "FINISHED":
      if (plan.restricted > 0) {
        return { state: "refused", fault: restricted("Threads", "2207051") };
      }
      return plan.notFound > MOST_NOT_FOUND
        ? { state: "stale", detail: "Threads does not find the container" }
        : { state: "absent" };
    case "ERROR":
    case "EXPIRED":
    case "LOST":
      return { state: "stale", detail: `the container is ${container.toLowerCase()} and was not published` };
    default:
      return { state: "again", afterSeconds: 30, known: false };
  }
}

async function containerState(client: PlatformClient, job: Job, id: string): Promise<string> {
  const answer = await graphGet(
    client,
    `${graphOf(job.account.app)}/${encodeURIComponent(id)}`,
    job.account.accessToken,
    {
      fields: "id,status,error_message",
    },
  );
  const container = isOk(answer) ? read(Container, answer) : undefined;
  if (container) {
    return container.status;
  }
  const error = graphError(answer);
  return isNotFound(error) || error?.code === 100 ? "LOST" : "unreadable";
}

async function findPost(client: PlatformClient, job: Job, since: number): Promise<Listed> {
  const kind = job.media.length > 1 ? "carousel" : (job.media[0]?.type ?? "text");
  const wanted = fingerprint(job.caption);
  const hits: { id: string; permalink: string | null }[] = [];
  let after: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const url = `${graphOf(job.account.app)}/${encodeURIComponent(job.account.platformAccountId)}/threads`;
    const answer = await graphGet(client, url, job.account.accessToken, {
      fields: "id,text,media_type,permalink,timestamp,shortcode",
      since: Math.floor(since / SECOND),
      limit: PER_PAGE,
      after,
    });
    const list = isOk(answer) ? read(PostList, answer) : undefined;
    if (!list) {
      return { state: "unreadable" };
    }
    for (const post of list.data) {
      const isKind = !post.media_type || post.media_type === LISTED_AS[kind];
      const isRecent = Date.parse(post.timestamp ?? "") >= since;
      if (isKind && isRecent && fingerprint(post.text ?? "") === wanted) {
        hits.push({ id: post.id, permalink: post.permalink ?? null });
      }
    }
    after = nextCursor(list.paging);
    if (after === undefined) {
      break;
    }
  }
  return listedOf(hits);
}
