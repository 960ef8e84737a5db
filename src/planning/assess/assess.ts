import type { Context } from "#context.ts";
import type { RefusalDetail } from "#core/errors.ts";
import { type PostType, postTypeOf } from "#core/status.ts";
import type { Candidate, CandidateSet } from "#planning/candidates/types.ts";
import { withPostId } from "#planning/candidates/with-post-id.ts";
import { comparedPart } from "#planning/facts/store-nearby-posts.ts";
import type { Facts, NearbyPosts, TextAtTime } from "#planning/facts/types.ts";
import type { TargetUpsert } from "#planning/plan/post-plan.ts";
import type { PreviewTarget } from "#planning/plan/types.ts";
import { dailyCapProblems } from "./daily-caps.ts";
import { withDuplicateTextWarnings } from "./duplicate-text.ts";
import { type FitsByCandidate, withFitProblems } from "./fits.ts";
import { problemsOfReadMembers } from "./problems-of-read-members.ts";
import { problemsWithAnyMedia, validateTargets } from "./validate-targets.ts";

/** A post as it would be published, with everything that is wrong with it. */
export interface AssessedPost<C extends Candidate = Candidate> {
  readonly candidate: C;
  readonly postType: PostType;
  readonly targets: readonly TargetUpsert[];
  readonly previews: readonly PreviewTarget[];
}

export interface AssessedSet<Set extends CandidateSet = CandidateSet> {
  readonly set: Set;
  readonly posts: readonly AssessedPost<Set["candidates"][number]>[];
  /** All problems of the post. */
  readonly problems: readonly RefusalDetail[];
  /** Whether the post has no problem and can be planned. */
  readonly isGood: boolean;
  /** True if nothing is wrong so far, but files of other servers were not fetched and checked. */
  readonly awaitsFiles: boolean;
}

type Rules = Pick<Context, "adapterFor" | "config">;

/**
 * Finds the problems of candidates, and what they would publish, from the facts alone. The posts of a request are
 * compared with each other. A post counts the posts before it that have no problem, for daily caps and equal texts.
 * Posts after it count only as standing between two equal texts.
 */
export function assess<Set extends CandidateSet>(
  rules: Rules,
  sets: readonly Set[],
  { capabilities, nearbyPosts }: Pick<Facts, "capabilities" | "nearbyPosts">,
  fits: FitsByCandidate,
): readonly AssessedSet<Set>[] {
  const nearby = new GrowingNearbyPosts(nearbyPosts);
  const goodTexts: (readonly AccountText[])[] = [];
  const assessed = sets.map((set) => {
    const one = assessSet(rules, set, { capabilities, nearby, fits });
    const texts = one.isGood && sets.length > 1 ? one.posts.flatMap(textsOf) : [];
    nearby.add(texts);
    goodTexts.push(texts);
    return one;
  });
  const before = new GrowingNearbyPosts(nearbyPosts);
  return assessed.map((one, index) => {
    const compared = withDuplicateTexts(rules, one, { before, after: goodTexts.slice(index + 1).flat() });
    before.add(goodTexts[index] ?? []);
    return compared;
  });
}

type AccountText = Candidate["sentTexts"][number];

function withDuplicateTexts<Set extends CandidateSet>(
  rules: Rules,
  set: AssessedSet<Set>,
  { before, after }: { readonly before: GrowingNearbyPosts; readonly after: readonly AccountText[] },
): AssessedSet<Set> {
  const own = set.posts.length > 1 ? set.posts.flatMap(textsOf) : [];
  return {
    ...set,
    posts: set.posts.map((post) => {
      const { id, scheduledAt } = post.candidate;
      const textsFor = (accountId: string) => ({
        compared: [
          ...before.textsOf(accountId),
          ...own.filter((text) => text.accountId === accountId && text.postId !== id),
        ],
        // Only the later of two posts with an equal text gets the warning.
        laterTimes: after.flatMap((text) => (text.accountId === accountId ? text.at : [])),
      });
      return scheduledAt === null
        ? post
        : { ...post, previews: withDuplicateTextWarnings(rules, post, textsFor, scheduledAt) };
    }),
  };
}

interface Known {
  readonly capabilities: Facts["capabilities"];
  readonly nearby: GrowingNearbyPosts;
  readonly fits: FitsByCandidate;
}

function assessSet<Set extends CandidateSet>(
  rules: Rules,
  set: Set,
  { capabilities, nearby, fits }: Known,
): AssessedSet<Set> {
  const { media, request: requested } = set;
  const candidates: readonly Set["candidates"][number][] = set.candidates;
  const validated = candidates.map((candidate) => {
    const { caption, lists, resolvedTargets } = candidate;
    const made = fits.get(candidate);
    const postType = postTypeOf(candidate.media);
    const request = { caption, mediaParams: requested.params, resolvedTargets, capabilities };
    const validation = validateTargets(rules, {
      ...request,
      postType,
      media: candidate.media,
      lists,
      documents: media.documents,
      ...(made && { mediaOfAccounts: made.media }),
    });
    const problems = media.complete
      ? withFitProblems(validation.problems, made)
      : problemsWithAnyMedia(rules, request, requested.guesses);
    return { candidate, postType, validation, problems };
  });
  const capProblems = candidates.map((candidate) => ({
    candidate,
    problems:
      candidate.scheduledAt === null
        ? []
        : dailyCapProblems(
            rules,
            candidate.resolvedTargets,
            (accountId) => [...nearby.timesOf(accountId), ...otherTimes(candidates, candidate, accountId)],
            candidate.scheduledAt,
            capabilities,
          ),
  }));
  const ofPosts = [...validated, ...capProblems].flatMap(({ candidate, problems }) =>
    set.namesPosts ? problems.map((problem) => withPostId(problem, candidate.id)) : problems,
  );
  const problems = problemsOfReadMembers([...set.problems, ...ofPosts], set.unreadMembers);
  const isAccepted = set.problems.length + ofPosts.length === 0 && set.unreadMembers === undefined;
  return {
    set,
    problems,
    isGood: isAccepted && media.complete,
    awaitsFiles: isAccepted && !media.complete,
    posts: validated.map(({ candidate, postType, validation }) => ({
      candidate,
      postType,
      targets: validation.targets,
      previews: validation.previews,
    })),
  };
}

/** The times of the other posts of the same request that go to an account. */
function otherTimes(candidates: readonly Candidate[], candidate: Candidate, accountId: string): readonly number[] {
  return candidates
    .filter((other) => other !== candidate && other.resolvedTargets.some((target) => target.account.id === accountId))
    .flatMap(({ scheduledAt }) => scheduledAt ?? []);
}

/** The texts that a post sends to its accounts, including those that it has sent already. */
function textsOf({
  candidate: { id, row, scheduledAt, sentTexts },
  targets,
}: Pick<AssessedPost, "candidate" | "targets">): Candidate["sentTexts"] {
  return [
    ...sentTexts,
    ...targets
      .filter(({ skipped }) => !skipped)
      .map(({ accountId, effectiveCaption }) => ({
        accountId,
        postId: id,
        row,
        at: scheduledAt ?? 0,
        text: comparedPart(effectiveCaption),
      })),
  ];
}

/**
 * The posts against which a candidate is compared: stored ones, and those posts of the request that had no problem so
 * far.
 */
class GrowingNearbyPosts {
  readonly #times: Map<string, readonly number[]>;
  readonly #texts: Map<string, readonly TextAtTime[]>;

  constructor({ times, texts }: NearbyPosts) {
    this.#times = new Map(times);
    this.#texts = new Map(texts);
  }

  timesOf(accountId: string): readonly number[] {
    return this.#times.get(accountId) ?? [];
  }

  textsOf(accountId: string): readonly TextAtTime[] {
    return this.#texts.get(accountId) ?? [];
  }

  add(texts: readonly AccountText[]): void {
    for (const text of texts) {
      this.#times.set(text.accountId, [...this.timesOf(text.accountId), text.at]);
      this.#texts.set(text.accountId, [...this.textsOf(text.accountId), text]);
    }
  }
}
