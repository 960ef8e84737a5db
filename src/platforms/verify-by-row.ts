import { SECOND } from "#core/clock.ts";
import { comparableText } from "./comparable-text.ts";
import type { Job, VerifyOutcome } from "./contract.ts";
import { verifyAgainIn } from "./verify-again.ts";

/*
 * `verify` without a reference: the journal of the run was lost, and the post is searched for with what its row holds. The
 * rules that are the same on every platform are here; how a platform lists and compares posts is in its own folder.
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
  /** Also for an incomplete list: it proves neither absence nor that a match is the only one. */
  | { readonly ok: false; readonly outcome: VerifyOutcome };

export type RowMatch =
  | { readonly state: "one"; readonly candidate: ListedCandidate }
  | { readonly state: "ambiguous"; readonly detail: string }
  /** `otherPosts`: posts of nobody known, one of which could be this post in a form that was not recognized. */
  | { readonly state: "none"; readonly otherPosts: number };

interface RowLookup {
  /** Until then the list may lack the post, so that a post with the same text could be mistaken for it. */
  readonly listedAfterMs: number;
  /** Every post of the account since then. */
  readonly list: (since: number) => Promise<CandidateList>;
  /** The outcome when no post matches. */
  readonly decideNone: (none: { readonly otherPosts: number }) => VerifyOutcome;
}

/** Searches the account's posts once the list can be trusted; see `Adapter.verify`. */
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

/** How long the list may still lack the post: it may have been sent until the moment at which the lost run was replaced. */
export function waitUntilListedMs(job: Job, listedAfterMs: number): number {
  return listedAfterMs - (job.now - (job.lastCommittedAt ?? job.committedAt ?? job.now));
}

/** The visible call was not sent before `committedAt`. */
export function searchSince(job: Job): number {
  return (job.committedAt ?? job.dueAt) - CLOCK_TOLERANCE_MS;
}

/** Exactly one match that no sibling owns, or that a sibling without a known post could own. */
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

/** For a platform whose list is complete and current: nothing that the account published can be this post. */
export function absentIfNothingElse({ otherPosts }: { readonly otherPosts: number }): VerifyOutcome {
  return otherPosts === 0
    ? { state: "absent" }
    : { state: "cannot_tell", detail: "the account published other posts since then, and none of them matches" };
}

/** For a platform whose list does not prove that a post is absent. */
export function notListed(): VerifyOutcome {
  return { state: "cannot_tell", detail: "no post of the account matches, which does not prove that there is none" };
}
