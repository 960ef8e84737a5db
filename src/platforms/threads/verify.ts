import type { JsonValue } from "#core/json.ts";
import { SECOND } from "#core/clock.ts";
import { isOk, read } from "#platforms/answer.ts";
import type { Job, VerifyOutcome, Wire } from "#platforms/contract.ts";
import { ContainerRef } from "#platforms/containers.ts";
import { rejected } from "#platforms/fault.ts";
import { graphError, graphGet, nextCursor } from "#platforms/graph.ts";
import { Container, PostList } from "./answers.ts";
import { isNotFound } from "./errors.ts";
import { graphOf } from "./hosts.ts";
import { fingerprint } from "./text.ts";

const FIRST_LOOK_MS = 5 * SECOND;
/** Unpublished for this long after the call: it will not be published by it. */
const DENIAL_MS = 65 * SECOND;
/** A lost container is given up when the list has stayed silent for this long. */
const LOST_MS = 120 * SECOND;
/** "Not found" was a refusal, and the container is unpublished: the same one is tried again soon, a few times. */
const NOT_FOUND_MS = 30 * SECOND;
const MOST_NOT_FOUND = 3;
const LISTING_MS = 45 * SECOND;
const CLOCK_SLACK_MS = 60 * SECOND;
const LATER_SECONDS = 60;
const MOST_PAGES = 4;

/** What `media_type` of a created container is called in lists. */
const LISTED_AS: Readonly<Record<string, string>> = {
  text: "TEXT_POST",
  carousel: "CAROUSEL_ALBUM",
  image: "IMAGE",
  video: "VIDEO",
};

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
  const denialMs = denialAfterMs(state, plan);
  return elapsed < denialMs ? later(Math.min(30 * SECOND, denialMs - elapsed)) : denied(state, listed.state, plan);
}

function denialAfterMs(state: string, plan: ContainerRef): number {
  if (plan.notFound > 0) {
    return state === "FINISHED" ? FIRST_LOOK_MS : NOT_FOUND_MS;
  }
  return state === "LOST" ? LOST_MS : DENIAL_MS;
}

function denied(state: string, listed: "none" | "several", plan: ContainerRef): VerifyOutcome {
  if (listed === "several") {
    return { state: "cannot_tell", detail: "several posts look like it" };
  }
  switch (state) {
    case "FINISHED":
      if (plan.restricted > 0) {
        return { state: "refused", fault: RESTRICTED };
      }
      return plan.notFound > MOST_NOT_FOUND
        ? { state: "stale", detail: "Threads does not find the container" }
        : { state: "absent" };
    case "ERROR":
    case "EXPIRED":
    case "LOST":
      return { state: "stale", detail: `the container is ${state.toLowerCase()} and was not published` };
    default:
      return { state: "again", afterSeconds: 30, known: false };
  }
}

/** The container is still unpublished a minute later, so this refusal was a true one. */
const RESTRICTED = rejected(
  "Threads restricts the activity of this account for some hours.",
  { httpStatus: 400, platformCode: "2207051" },
  { code: "activity_restricted", category: "rate_limit" },
);

function later(milliseconds: number): VerifyOutcome {
  return { state: "again", afterSeconds: Math.ceil(milliseconds / SECOND), known: false };
}

async function containerState(wire: Wire, job: Job, id: string): Promise<string> {
  const answer = await graphGet(
    wire,
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

type Found =
  | { readonly state: "one"; readonly id: string; readonly permalink: string | null }
  | { readonly state: "none" | "several" | "unreadable" };

async function findPost(wire: Wire, job: Job, since: number): Promise<Found> {
  const kind = job.media.length > 1 ? "carousel" : (job.media[0]?.type ?? "text");
  const wanted = fingerprint(job.caption);
  const hits: { id: string; permalink: string | null }[] = [];
  let after: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const url = `${graphOf(job.account.app)}/${encodeURIComponent(job.account.platformAccountId)}/threads`;
    const answer = await graphGet(wire, url, job.account.accessToken, {
      fields: "id,text,media_type,permalink,timestamp,shortcode",
      since: Math.floor(since / SECOND),
      limit: 25,
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
  const [first] = hits;
  if (!first) {
    return { state: "none" };
  }
  return hits.length === 1 ? { state: "one", ...first } : { state: "several" };
}
