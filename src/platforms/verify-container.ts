import type { JsonValue } from "#core/json.ts";
import { MINUTE, SECOND } from "#core/clock.ts";
import { ContainerRef } from "./prepare-containers.ts";
import type { Fault, Job, VerifyOutcome } from "./contract.ts";
import { rejected } from "./fault.ts";
import { verifyAgainIn } from "./verify-again.ts";
import type { CandidateList, ListedCandidate } from "./verify-by-row.ts";

/* Finds out whether a platform published a container. A container can be published only once, and its status says
   whether it was; the list of posts adds the post's id. If neither shows the post, each platform's folder decides. */

const FIRST_CHECK_MS = 5 * SECOND;
/** How long (ms) the list of posts may lag behind a container with the status "published". */
const LISTING_LAG_MS = 45 * SECOND;
/** How long (ms) the list may be unreadable before the service reports the post without the post's own id. */
const UNREADABLE_LIST_MS = 5 * MINUTE;
/** How long (ms) after its call the list may lack a published post. */
export const LISTED_AFTER_MS = 60 * SECOND;
const CLOCK_TOLERANCE_MS = 60 * SECOND;
const RETRY_SECONDS = 60;

/**
 * How long (ms) after a call its container can still be published. It is less than a minute, so that a post whose first
 * send a crash lost is sent within that minute.
 */
export const ABSENT_AFTER_MS = 55 * SECOND;

/** How many listed posts match the job. */
export type ListingMatch =
  | { readonly state: "one"; readonly id: string; readonly permalink: string | null }
  | { readonly state: "none" | "several" | "unreadable" };

/** A container whose publication is unknown, because neither its status nor the list shows the post. */
export interface UnlistedContainer {
  readonly commitRef: ContainerRef;
  /** The platform's status of the container, or LOST if it does not exist. */
  readonly status: string;
  readonly listed: "none" | "several";
  readonly elapsedMs: number;
}

/** What `verifyContainer` reads from a platform. */
export interface ContainerReads {
  /** The container's status as the platform spells it, LOST if the container does not exist, or "unreadable". */
  readStatus(id: string): Promise<string>;
  /**
   * Finds the post by its content. The newest post alone does not count, because another program may have posted
   * meanwhile.
   */
  findPost(since: number): Promise<ListingMatch>;
  /**
   * Whether a listed post proves that this post is published. False for posts without a text: a listed one may be
   * anybody's, so only the container's status is a proof.
   */
  readonly isListProof?: boolean;
  decideUnlisted(unlisted: UnlistedContainer): VerifyOutcome;
}

export async function verifyContainer(job: Job, ref: JsonValue, reads: ContainerReads): Promise<VerifyOutcome> {
  const commitRef = ContainerRef.parse(ref);
  const committedAt = job.committedAt ?? job.now;
  const elapsedMs = job.now - (job.lastCommittedAt ?? committedAt);
  if (elapsedMs < FIRST_CHECK_MS) {
    return verifyAgainIn(FIRST_CHECK_MS - elapsedMs);
  }
  const status = await reads.readStatus(commitRef.containerId);
  if (status === "unreadable") {
    return { state: "again", afterSeconds: RETRY_SECONDS, isProcessing: false };
  }
  const { isListProof = true } = reads;
  if (!isListProof && status !== "PUBLISHED") {
    return reads.decideUnlisted({ commitRef, status, listed: "none", elapsedMs });
  }
  const listed = await reads.findPost(committedAt - CLOCK_TOLERANCE_MS);
  // Until the list certainly has the post, its only match may be another post.
  if (listed.state === "one" && (isListProof || elapsedMs > LISTING_LAG_MS)) {
    return { state: "published", remoteId: listed.id, url: listed.permalink };
  }
  if (status === "PUBLISHED") {
    const maxWaitMs = listed.state === "unreadable" ? UNREADABLE_LIST_MS : LISTING_LAG_MS;
    // Without exactly one match, only the container's id certainly belongs to this post.
    return listed.state === "several" || elapsedMs > maxWaitMs
      ? { state: "published", remoteId: commitRef.containerId, url: null }
      : { state: "again", afterSeconds: 10, isProcessing: true };
  }
  if (listed.state === "unreadable") {
    return { state: "again", afterSeconds: RETRY_SECONDS, isProcessing: false };
  }
  const { state } = listed;
  return reads.decideUnlisted({ commitRef, status, listed: state === "several" ? state : "none", elapsedMs });
}

/**
 * Counts the matches. Only a single match identifies the post. `candidates` is undefined if the list could not be read
 * completely.
 */
export function listedAs(candidates: readonly ListedCandidate[] | undefined): ListingMatch {
  if (!candidates) {
    return { state: "unreadable" };
  }
  const [first, ...others] = candidates.filter(({ isMatch }) => isMatch);
  if (!first) {
    return { state: "none" };
  }
  return others.length === 0 ? { state: "one", id: first.id, permalink: first.url } : { state: "several" };
}

/** Converts a list of posts for a lookup without the container. */
export function toCandidateList(candidates: readonly ListedCandidate[] | undefined): CandidateList {
  return candidates ? { ok: true, candidates } : { ok: false, outcome: verifyAgainIn(RETRY_SECONDS * SECOND) };
}

/** The fault "activity restricted". A minute later the container is still unpublished, so the refusal was real. */
export function activityRestricted(platformName: string, platformCode: string): Fault {
  return rejected(
    `${platformName} restricts the activity of this account for some hours.`,
    { httpStatus: 400, platformCode },
    { code: "activity_restricted", category: "rate_limit" },
  );
}
