import { SECOND } from "#core/clock.ts";
import { comparableText } from "./comparable-text.ts";
import type { Job, VerifyOutcome } from "./contract.ts";
import { verifyAgainIn } from "./verify-again.ts";

/*
 * `verify` without a reference: the journal of the run is lost, and the row must do to find the post. This file has the
 * rules that hold on every platform; each platform's folder lists and compares its posts.
 */

/** Tolerates a difference between this service's clock and the platform's. */
const CLOCK_TOLERANCE_MS = 60 * SECOND;

/** A post that the account published since the time in question. */
export interface ListedCandidate {
  readonly id: string;
  readonly url: string | null;
  /** Whether everything that the list shows of it equals what the job would publish. */
  readonly isMatch: boolean;
}

export type CandidateList =
  | { readonly ok: true; readonly candidates: readonly ListedCandidate[] }
  /** Also for an incomplete list, which proves neither absence nor that a match is the only one. */
  | { readonly ok: false; readonly outcome: VerifyOutcome };

export type RowMatch =
  | { readonly state: "one"; readonly candidate: ListedCandidate }
  | { readonly state: "ambiguous"; readonly detail: string }
  /** `otherPosts`: how many listed posts we did not publish. One of them could be this post in a form that we do not recognize. */
  | { readonly state: "none"; readonly otherPosts: number };

interface RowLookup {
  /** Until then the list may lack the post, and another post with the same text could pass for it. */
  readonly listedAfterMs: number;
  /** Every post of the account since this time. */
  readonly list: (since: number) => Promise<CandidateList>;
  readonly decideNone: (none: { readonly otherPosts: number }) => VerifyOutcome;
}

/** Searches the account's posts as soon as the list is reliable; see `Adapter.verify`. */
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

/** How long the list may still lack the post. The lost run may have sent it until the moment at which a new run replaced it. */
export function waitUntilListedMs(job: Job, listedAfterMs: number): number {
  return listedAfterMs - (job.now - (job.lastCommittedAt ?? job.committedAt ?? job.now));
}

/** The lost run did not send the visible call before `committedAt`. */
export function searchSince(job: Job): number {
  return (job.committedAt ?? job.dueAt) - CLOCK_TOLERANCE_MS;
}

/** Exactly one match that no sibling owns and that no sibling without a known post could own. */
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

/** For a platform with a complete and current list: none of the account's posts can be this one. */
export function absentIfNothingElse({ otherPosts }: { readonly otherPosts: number }): VerifyOutcome {
  return otherPosts === 0
    ? { state: "absent" }
    : { state: "cannot_tell", detail: "the account published other posts since then, and none of them matches" };
}

/** For a platform whose list does not prove that a post is absent. */
export function notListed(): VerifyOutcome {
  return { state: "cannot_tell", detail: "no post of the account matches, which does not prove that there is none" };
}
