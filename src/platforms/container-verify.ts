import type { JsonValue } from "#core/json.ts";
import { MINUTE, SECOND } from "#core/clock.ts";
import { ContainerRef } from "./containers.ts";
import type { Fault, Job, VerifyOutcome } from "./contract.ts";
import { rejected } from "./fault.ts";
import { later } from "./later.ts";

/*
 * Was a container published? It can be published once and tells whether it was; the list of posts only tells under which
 * id. What a platform's silence means is for the platform's own folder to say.
 */

const FIRST_LOOK_MS = 5 * SECOND;
/** How long the list of posts may lag behind a container that says it is published. */
const LISTING_MS = 45 * SECOND;
/** How long it may be out of order before the post goes without its own id. */
const UNREADABLE_MS = 5 * MINUTE;
const CLOCK_SLACK_MS = 60 * SECOND;
const LATER_SECONDS = 60;

/**
 * A container that is unpublished for this long after the call will not be published by it: a minute less what the second
 * sending takes, so that a post which a crash cut off is out within that minute.
 */
export const DENIAL_MS = 55 * SECOND;

/** Posts in the list that look like the one that is looked for. */
export type Listed =
  | { readonly state: "one"; readonly id: string; readonly permalink: string | null }
  | { readonly state: "none" | "several" | "unreadable" };

/** What is not public, as far as anybody can see. */
export interface Silence {
  readonly plan: ContainerRef;
  /** In the platform's words, or LOST. */
  readonly container: string;
  readonly listed: "none" | "several";
  readonly elapsedMs: number;
}

export interface ContainerLooks {
  /** The container's state in the platform's words, LOST when it is not there. */
  container(id: string): Promise<string>;
  /** Never simply the newest post: somebody else may have posted in between. */
  find(since: number): Promise<Listed>;
  silence(seen: Silence): VerifyOutcome;
}

export async function verifyContainer(job: Job, ref: JsonValue, looks: ContainerLooks): Promise<VerifyOutcome> {
  const plan = ContainerRef.parse(ref);
  const committedAt = job.committedAt ?? job.now;
  const elapsedMs = job.now - committedAt;
  if (elapsedMs < FIRST_LOOK_MS) {
    return later(FIRST_LOOK_MS - elapsedMs);
  }
  const container = await looks.container(plan.container);
  if (container === "unreadable") {
    return { state: "again", afterSeconds: LATER_SECONDS, known: false };
  }
  const listed = await looks.find(committedAt - CLOCK_SLACK_MS);
  if (listed.state === "one") {
    return { state: "published", remoteId: listed.id, url: listed.permalink };
  }
  if (container === "PUBLISHED") {
    const patienceMs = listed.state === "unreadable" ? UNREADABLE_MS : LISTING_MS;
    // None or several look like it: the container's id is the only one that is certainly ours.
    return listed.state === "several" || elapsedMs > patienceMs
      ? { state: "published", remoteId: plan.container, url: null }
      : { state: "again", afterSeconds: 10, known: true };
  }
  if (listed.state === "unreadable") {
    return { state: "again", afterSeconds: LATER_SECONDS, known: false };
  }
  return looks.silence({ plan, container, listed: listed.state, elapsedMs });
}

/** One post is the one, several leave open which. */
export function listedOf(hits: readonly { readonly id: string; readonly permalink: string | null }[]): Listed {
  const [first] = hits;
  if (!first) {
    return { state: "none" };
  }
  return hits.length === 1 ? { state: "one", ...first } : { state: "several" };
}

/** The container is still unpublished a minute after a restriction, so that refusal was a true one. */
export function restricted(platformName: string, platformCode: string): Fault {
  return rejected(
    `${platformName} restricts the activity of this account for some hours.`,
    { httpStatus: 400, platformCode },
    { code: "activity_restricted", category: "rate_limit" },
  );
}
