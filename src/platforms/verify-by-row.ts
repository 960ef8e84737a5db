import { SECOND } from "#core/clock.ts";
import { comparableText } from "./comparable-text.ts";
import type { Job, VerifyOutcome } from "./contract.ts";
import { verifyAgainIn } from "./verify-again.ts";

/* `verify` without a reference, if the journal of the run is lost and only the post's row is left to find the post.
   This file has the rules for all platforms; each platform's folder lists and compares its posts. */

/** How much (ms) the clocks of this service and of the platform may differ. */
const CLOCK_TOLERANCE_MS = 60 * SECOND;

/** A listed post of the account that could be this post. */
export interface ListedCandidate {
  readonly id: string;
  readonly url: string | null;
  /** Whether everything that the list shows of the post equals what the job would publish. */
  readonly isMatch: boolean;
}

export type CandidateList =
  | { readonly ok: true; readonly candidates: readonly ListedCandidate[] }
  /** The list is not usable. An incomplete list proves neither absence nor that a match is the only one. */
  | { readonly ok: false; readonly outcome: VerifyOutcome };

export type RowMatch =
  | { readonly state: "one"; readonly candidate: ListedCandidate }
  | { readonly state: "ambiguous"; readonly detail: string }
  /**
   * No post matches. `otherPosts` is how many listed posts this service did not publish. One of them could be this post
   * in an unrecognized form.
   */
  | { readonly state: "none"; readonly otherPosts: number };

interface RowLookup {
  /**
   * How long (ms) after its call a post may be missing from the list. Until then, another post with the same text could
   * pass for it.
   */
  readonly listedAfterMs: number;
  /** Lists every post of the account since a time. */
  readonly list: (since: number) => Promise<CandidateList>;
  readonly decideNone: (none: { readonly otherPosts: number }) => VerifyOutcome;
}

/** Searches the account's posts as soon as the list is reliable, as `Adapter.verify` describes. */
export async function verifyByRow(job: Job, { listedAfterMs, list, decideNone }: RowLookup): Promise<VerifyOutcome> {
  const waitMs = waitUntilListedMs(job, listedAfterMs);
  if (waitMs > 0) {
    return verifyAgainIn(waitMs);
  }
  const listed = await list(searchSince(job));
  if (!listed.ok) {
    return listed.outcome;
  }
  const match = matchByRow(job, listed.candidates);
  switch (match.state) {
    case "one":
      return { state: "published", remoteId: match.candidate.id, url: match.candidate.url };
    case "ambiguous":
      return { state: "cannot_tell", detail: match.detail };
    case "none":
      return decideNone(match);
  }
}

/**
 * How long (ms) the list may still lack the post. The lost run may have sent it up to the moment at which a new run
 * replaced it.
 */
export function waitUntilListedMs(job: Job, listedAfterMs: number): number {
  return listedAfterMs - (job.now - (job.lastCommittedAt ?? job.committedAt ?? job.now));
}

/** The time from which posts are searched. The lost run did not send the visible call before `committedAt`. */
export function searchSince(job: Job): number {
  return (job.committedAt ?? job.dueAt) - CLOCK_TOLERANCE_MS;
}

/** Finds the only match. Sibling targets must not own it, and no sibling without a known post may be able to own it. */
export function matchByRow(job: Job, candidates: readonly ListedCandidate[]): RowMatch {
  const owned = new Set(job.siblings.map((sibling) => sibling.remoteId));
  const unowned = candidates.filter(({ id }) => !owned.has(id));
  const [first, ...others] = unowned.filter(({ isMatch }) => isMatch);
  if (!first) {
    return { state: "none", otherPosts: unowned.length };
  }
  if (others.length > 0) {
    return { state: "ambiguous", detail: "several posts of the account match" };
  }
  const listedIds = new Set(candidates.map(({ id }) => id));
  const hasUnlistedTwin = job.siblings.some(
    ({ remoteId, caption }) =>
      comparableText(caption) === comparableText(job.caption) && (remoteId === null || !listedIds.has(remoteId)),
  );
  return hasUnlistedTwin
    ? { state: "ambiguous", detail: "a post matches that could belong to another post with the same text" }
    : { state: "one", candidate: first };
}

/** The outcome for a platform with a complete and current list on which no post can be this one. */
export function absentIfNothingElse({ otherPosts }: { readonly otherPosts: number }): VerifyOutcome {
  return otherPosts === 0
    ? { state: "absent" }
    : { state: "cannot_tell", detail: "the account published other posts since then, and none of them matches" };
}

/** The outcome for a platform whose list does not prove that a post is absent. */
export function notListed(): VerifyOutcome {
  return { state: "cannot_tell", detail: "no post of the account matches, which does not prove that there is none" };
}
