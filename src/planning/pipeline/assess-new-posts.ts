import type { Context } from "#context.ts";
import type { RefusalDetail } from "#core/errors.ts";
import type { AssessedSet } from "#planning/assess/assess.ts";
import { mediaListsOf } from "#planning/candidates/media-lists.ts";
import {
  emptyCaptionProblems,
  type NewPost,
  type NewPostSet,
  newPostSet,
  newPostTextProblems,
  type TypedInput,
} from "#planning/candidates/new-posts.ts";
import { requestedMedia } from "#planning/candidates/requested-media.ts";
import { accountFilterOf } from "#planning/candidates/resolve-targets.ts";
import { checkedTime } from "#planning/candidates/schedule-time.ts";
import { loadFacts } from "#planning/facts/load-facts.ts";
import { assertScheduledPostsLimit } from "#planning/facts/store-scheduled-posts-quota.ts";
import { type Facts, NO_FACTS } from "#planning/facts/types.ts";
import { placeInSlots } from "#planning/slots/place-in-slots.ts";
import { refuseProblems } from "#posts/rows/refuse.ts";
import { assessInPhases, type Phases } from "./phases.ts";

export interface RequestedPost extends Partial<Pick<NewPost, "id" | "row" | "complete" | "problems">> {
  /** The input of the post; null if it could not be read. */
  readonly input: TypedInput | null;
}

interface AssessedNewPosts {
  /** The checked posts, in the order of the request. */
  readonly posts: readonly AssessedSet<NewPostSet>[];
  readonly facts: Facts;
}

/** Finds what new posts would be, and what is wrong with them. A single post is a request of one. */
export async function assessNewPosts(
  ctx: Context,
  requested: readonly RequestedPost[],
  phases: Phases,
): Promise<AssessedNewPosts> {
  const posts = await readPosts(ctx, requested, phases);
  const readable = posts.flatMap(({ input, problems }) => (input && problems.length === 0 ? [input] : []));
  const filters = readable.map(accountFilterOf);
  const loaded =
    readable.length === 0
      ? NO_FACTS
      : await loadFacts(ctx, {
          accounts: {
            ids: distinct(filters.flatMap(({ ids }) => ids)),
            usernames: distinct(filters.flatMap(({ usernames = [] }) => usernames)),
            platforms: distinct(filters.flatMap(({ platforms }) => platforms)),
          },
          mediaIds: distinct(posts.flatMap(({ media, problems }) => (problems.length === 0 ? media.ids : []))),
          times: readable.map(({ scheduledAt }) => checkedTime(scheduledAt ?? "now", ctx.clock.now())),
          exceptPostId: readable[0]?.editedPostId,
          previews: phases.countsPreviews ? posts.filter(({ input }) => input !== null).length : 0,
        });
  const toSets = (facts: Facts) => posts.map((post) => newPostSet(ctx, post, facts));
  const { assessed, facts } = await assessInPhases(ctx, loaded, toSets, phases);
  return { posts: assessed, facts };
}

/**
 * Returns the posts without problems. Refuses with all problems, unless bad posts are left out, and refuses too many
 * scheduled posts.
 */
export function acceptPosts(
  ctx: Context,
  { posts, facts }: AssessedNewPosts,
  { skipsInvalid }: Pick<Phases, "skipsInvalid">,
): readonly AssessedSet<NewPostSet>[] {
  const good = posts.filter(({ isGood }) => isGood);
  if (good.length < posts.length && !skipsInvalid) {
    refuseProblems(problemsOfPosts(posts));
  }
  assertScheduledPostsLimit(ctx, facts.scheduledPosts ?? 0, good.length);
  return good;
}

/** All problems of the posts. In a bulk request each names its row. */
export function problemsOfPosts(posts: readonly AssessedSet<NewPostSet>[]): readonly RefusalDetail[] {
  return posts.flatMap(({ problems, set: { post } }) =>
    problems.map((problem) => (post.row === undefined ? problem : { ...problem, row: post.row })),
  );
}

/** Reads the posts: gives them the times of their slots, and finds problems of their texts. */
async function readPosts(
  ctx: Context,
  requested: readonly RequestedPost[],
  phases: Phases,
): Promise<readonly NewPost[]> {
  const posts = requested.map(({ id = "", input, problems = [], ...rest }): NewPost => {
    const textProblems = input === null || rest.complete ? [] : textProblemsOf(input);
    const media = requestedMedia(ctx, input ? mediaListsOf(input) : [], { importsAll: phases.fetches === "all" });
    return { ...rest, id, input, problems: [...problems, ...textProblems], media };
  });
  return phases.choosesSlots ? await inSlots(ctx, posts) : posts;
}

async function inSlots(ctx: Context, posts: readonly NewPost[]): Promise<readonly NewPost[]> {
  const inputs = posts.flatMap(({ input, problems }) => (input && problems.length === 0 ? [input] : []));
  const placed = await placeInSlots(ctx, inputs);
  return posts.map((post) => {
    const slot = post.input ? placed[inputs.indexOf(post.input)] : undefined;
    return slot ? { ...post, ...slot, ...(slot.problems.length > 0 && { input: null }) } : post;
  });
}

function textProblemsOf(input: TypedInput): readonly RefusalDetail[] {
  return [...emptyCaptionProblems(input.caption), ...newPostTextProblems(input)];
}

function distinct<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)];
}
