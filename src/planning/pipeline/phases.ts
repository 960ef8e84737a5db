import type { Context } from "#context.ts";
import { assess, type AssessedSet } from "#planning/assess/assess.ts";
import type { Candidate, CandidateSet, ResolvedTarget } from "#planning/candidates/types.ts";
import { assertScheduledPostsLimit } from "#planning/facts/store-scheduled-posts-quota.ts";
import type { Facts } from "#planning/facts/types.ts";
import { type FetchedFiles, fetchMedia } from "#planning/fetch/fetch-media.ts";
import { makeFits, planFits } from "#planning/fetch/fits.ts";
import { refreshCapabilities } from "#planning/fetch/refresh-capabilities.ts";

/** What a request may do besides reading stored facts. */
export interface Phases {
  /** Whether every post counts as a preview of the hour. */
  readonly countsPreviews: boolean;
  readonly choosesSlots: boolean;
  /** Whether to ask the platforms what the accounts may do now. */
  readonly asksPlatforms: boolean;
  readonly fetches: FetchedFiles;
  readonly makesCopies: boolean;
  /** Whether an edit reports only warnings that the posts do not have already. */
  readonly comparesWarnings?: boolean;
  /** Whether to continue with the posts that have no problem. */
  readonly skipsInvalid: boolean;
}

export const PREVIEW: Phases = {
  countsPreviews: true,
  choosesSlots: true,
  asksPlatforms: true,
  fetches: "all",
  makesCopies: true,
  skipsInvalid: false,
};

/** Uses stored facts only, so that it can run while a person types. */
export const STORED_ONLY: Phases = {
  countsPreviews: false,
  choosesSlots: false,
  asksPlatforms: false,
  fetches: "none",
  makesCopies: false,
  skipsInvalid: false,
};

interface Assessment<Set extends CandidateSet> {
  readonly assessed: readonly AssessedSet<Set>[];
  readonly facts: Facts;
}

/**
 * Checks the candidates that `toSets` makes from the facts. If a phase finds more facts, the candidates are made and
 * checked again. Phases that take time or money run only if nothing is wrong so far.
 */
export async function assessInPhases<Set extends CandidateSet>(
  ctx: Context,
  loaded: Facts,
  toSets: (facts: Facts) => readonly Set[],
  phases: Phases,
): Promise<Assessment<Set>> {
  let facts = loaded;
  let sets = toSets(facts);
  const learn = (news: Partial<Facts>) => {
    facts = { ...facts, ...news, now: ctx.clock.now() };
    sets = toSets(facts);
  };
  const candidates = () => sets.flatMap((set) => set.candidates);
  if (phases.asksPlatforms) {
    const capabilities = await refreshCapabilities(ctx, targetsOf(candidates()));
    if (capabilities.size > 0) {
      learn({ capabilities });
    }
  }
  let fits = await planFits(ctx, candidates());
  let assessed = assess(ctx, sets, facts, fits);
  const areAll = (state: (set: AssessedSet) => boolean) => phases.skipsInvalid || assessed.every(state);
  if (phases.fetches !== "none" && areAll(({ isGood, awaitsFiles }) => isGood || awaitsFiles)) {
    const awaiting = assessed.filter(({ awaitsFiles }) => awaitsFiles).map(({ set }) => set.request);
    if (awaiting.length > 0) {
      assertRoom(ctx, facts, awaiting.length + assessed.filter(({ isGood }) => isGood).length);
      learn({ fetched: await fetchMedia(ctx, awaiting, facts, phases.fetches) });
      fits = await planFits(ctx, candidates());
      assessed = assess(ctx, sets, facts, fits);
    }
  }
  if (phases.makesCopies && areAll(({ isGood }) => isGood)) {
    const good = assessed.filter(({ isGood }) => isGood).flatMap(({ posts }) => posts.map((post) => post.candidate));
    const made = await makeFits(ctx, fits, good);
    if (made !== fits) {
      assessed = assess(ctx, sets, facts, made);
    }
  }
  return { assessed, facts };
}

/** The targets that the candidates would publish to, one for each account. */
function targetsOf(candidates: readonly Candidate[]): readonly ResolvedTarget[] {
  const targets = candidates.flatMap(({ resolvedTargets }) => resolvedTargets.filter(({ skipped }) => !skipped));
  return [...new Map(targets.map((target) => [target.account.id, target])).values()];
}

/**
 * Refuses if the posts would exceed the limit of scheduled posts. `scheduledPosts` is null for an edit, which adds
 * none.
 */
function assertRoom(ctx: Context, { scheduledPosts }: Facts, added: number): void {
  if (scheduledPosts !== null) {
    assertScheduledPostsLimit(ctx, scheduledPosts, added);
  }
}
