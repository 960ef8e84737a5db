import type { JsonValue } from "#core/json.ts";
import { SECOND } from "#core/clock.ts";
import { isOk, read } from "#platforms/answer.ts";
import type { Job, VerifyOutcome, Wire } from "#platforms/contract.ts";
import { ContainerRef } from "#platforms/containers.ts";
import { rejected } from "#platforms/fault.ts";
import { graphError, graphGet, nextCursor } from "#platforms/graph.ts";
import { Container, MediaList } from "./answers.ts";
import { graphOf } from "./hosts.ts";

const FIRST_LOOK_MS = 5 * SECOND;
/** A container that is unpublished for this long after the call will not be published by it. */
const DENIAL_MS = 65 * SECOND;
/** How long the list of posts may lag behind a container that says it is published. */
const LISTING_MS = 45 * SECOND;
const CLOCK_SLACK_MS = 60 * SECOND;
const LATER_SECONDS = 60;
const MOST_PAGES = 4;

/** The container can be published once and tells whether it was; the list only tells under which id. */
export async function verify(wire: Wire, job: Job, ref: JsonValue): Promise<VerifyOutcome> {
  const plan = ContainerRef.parse(ref);
  const committedAt = job.committedAt ?? job.now;
  const elapsed = job.now - committedAt;
  if (elapsed < FIRST_LOOK_MS) {
    return later(FIRST_LOOK_MS - elapsed);
  }
  const state = await containerState(wire, job, plan.container);
  if (state === "unreadable") {
    return { state: "again", afterSeconds: LATER_SECONDS, known: false };
  }
  const listed = await findPost(wire, job, committedAt - CLOCK_SLACK_MS);
  if (listed.state === "one") {
    return { state: "published", remoteId: listed.id, url: listed.permalink };
  }
  if (state === "PUBLISHED") {
    // None or several look like it: the container's id is the only one that is certainly ours.
    return listed.state === "several" || elapsed > LISTING_MS
      ? { state: "published", remoteId: plan.container, url: null }
      : { state: "again", afterSeconds: 10, known: true };
  }
  if (listed.state === "unreadable") {
    return { state: "again", afterSeconds: LATER_SECONDS, known: false };
  }
  if (elapsed < DENIAL_MS) {
    return later(DENIAL_MS - elapsed);
  }
  return denied(state, plan);
}

function denied(state: string, plan: ContainerRef): VerifyOutcome {
  switch (state) {
    case "FINISHED":
      return plan.restricted > 0 ? { state: "refused", fault: RESTRICTED } : { state: "absent" };
    case "ERROR":
    case "EXPIRED":
      return { state: "stale", detail: `the container is ${state.toLowerCase()} and was not published` };
    case "IN_PROGRESS":
      return { state: "again", afterSeconds: 30, known: false };
    default:
      return { state: "cannot_tell", detail: "the container is gone and no post like it is there" };
  }
}

/** The container is still unpublished a minute later, so this refusal was a true one. */
const RESTRICTED = rejected(
  "Instagram restricts the activity of this account for some hours.",
  { httpStatus: 400, platformCode: "4/2207051" },
  { code: "activity_restricted", category: "rate_limit" },
);

function later(milliseconds: number): VerifyOutcome {
  return { state: "again", afterSeconds: Math.ceil(milliseconds / SECOND), known: false };
}

async function containerState(wire: Wire, job: Job, id: string): Promise<string> {
  const answer = await graphGet(wire, `${graphOf(job.account)}/${encodeURIComponent(id)}`, job.account.loginToken, {
    fields: "status_code",
  });
  const container = isOk(answer) ? read(Container, answer) : undefined;
  if (container) {
    return container.status_code;
  }
  const error = graphError(answer);
  return error?.code === 24 || (error?.code === 100 && error.subcode === 33) ? "LOST" : "unreadable";
}

type Found =
  | { readonly state: "one"; readonly id: string; readonly permalink: string | null }
  | { readonly state: "none" | "several" | "unreadable" };

/** Never simply the newest post: somebody else may have posted in between. */
async function findPost(wire: Wire, job: Job, since: number): Promise<Found> {
  const url = `${graphOf(job.account)}/${encodeURIComponent(job.account.platformAccountId)}/media`;
  const hits: { id: string; permalink: string | null }[] = [];
  let after: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await graphGet(wire, url, job.account.loginToken, {
      fields: "id,caption,timestamp,permalink",
      limit: 25,
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
  const [first] = hits;
  if (!first) {
    return { state: "none" };
  }
  return hits.length === 1 ? { state: "one", ...first } : { state: "several" };
}
