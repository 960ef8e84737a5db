import type { Context } from "#context.ts";
import { sha256Hex } from "#core/encoding.ts";
import type { RefusalDetail } from "#core/errors.ts";
import { canonicalJson } from "#core/json.ts";
import { hasAnnotations, NO_ANNOTATIONS } from "#posts/rows/annotation-rows.ts";
import { makeToken, storePlan, tokenLifetime } from "#confirming/token/confirmation-token.ts";
import { mediaIdsOf, type PostInsert, storedMedia, toBulkPost, withPlanHash } from "#planning/plan/post-plan.ts";
import { fitPosts } from "#planning/checks/defer-fits.ts";
import { refuseProblems } from "#posts/rows/refuse.ts";
import { assertScheduledPostsLimit } from "#planning/checks/scheduled-posts-quota.ts";
import type { SchedulePreview } from "#planning/plan/types.ts";
import { type AssessedPost, assessBulk, type NewPost } from "#planning/bulk/assess-bulk.ts";
import { fetchImages } from "#planning/bulk/fetch-images.ts";
import type { BulkInput, BulkPreview, BulkRow, PreviewedBulk } from "#planning/bulk/types.ts";

/** Checks many new posts together and stores one plan for those without problems; nothing else is written. */
export async function previewBulk(ctx: Context, { posts: rows, skipInvalid }: BulkInput): Promise<PreviewedBulk> {
  const timed = await atSlots(ctx, rows);
  const read = timed.flatMap(({ row, input }) => (input === null ? [] : [{ row, id: ctx.ids.uuid(), input }]));
  const first = await assessBulk(ctx, read, { counts: true, asksPlatforms: true });
  const unread = timed.map(({ row, problems }) => [row, problems] as const);
  const isRefused =
    !skipInvalid &&
    (unread.some(([, problems]) => problems.length > 0) ||
      first.posts.some(({ problems, fetchable }) => problems.length > 0 && fetchable.length === 0));
  const { inputs, posts, scheduled, now } = await fetchImages(ctx, read, first, { isRefused });
  const assessed = inputs.map((post, index) => ({ ...post, ...existing(posts[index]) }));
  const problemsOf = new Map<number, readonly RefusalDetail[]>([
    ...unread,
    ...assessed.map(({ row, problems }) => [row, problems] as const),
  ]);
  refuseUnlessSkipped(problemsOf, skipInvalid);
  const copied = await withCopies(
    ctx,
    assessed.filter(({ problems }) => problems.length === 0),
  );
  for (const { row, problems } of copied) {
    problemsOf.set(row, problems);
  }
  refuseUnlessSkipped(problemsOf, skipInvalid);
  const accepted = copied.filter(({ problems }) => problems.length === 0);
  assertScheduledPostsLimit(ctx, scheduled, accepted.length);
  const planned = await Promise.all(
    accepted.map(async (entry) => ({ row: entry.row, entry, post: await toPost(entry, entry) })),
  );
  const planHash =
    planned.length === 0 ? null : await sha256Hex(canonicalJson(planned.map(({ post }) => post.planHash)));
  const previews = new Map(planned.map(({ row, entry, post }) => [row, toPreview(entry, post)]));
  const preview: BulkPreview = {
    action: "bulk",
    posts: rows.map(({ row }) => ({
      row,
      preview: previews.get(row) ?? null,
      problems: problemsOf.get(row) ?? [],
    })),
    planHash,
  };
  if (planHash === null) {
    return { preview, confirmation: null };
  }
  const { userId, workspaceId } = ctx.actor;
  const lifetime = tokenLifetime(now);
  const { token: confirmationToken, ...key } = await makeToken(ctx, now);
  const inserts = planned.map(({ post }) => post);
  const slots = planned.filter(({ entry }) => entry.input.slot !== undefined).map(({ post }) => post.scheduledAt);
  await storePlan(ctx, key, {
    kind: "bulk",
    userId,
    workspaceId,
    ...lifetime,
    dependencies: {
      accountIds: [...new Set(inserts.flatMap(({ targets }) => targets.map(({ accountId }) => accountId)))],
      mediaIds: [...new Set(inserts.flatMap(mediaIdsOf))],
    },
    posts: planned.map(({ row, post }) => toBulkPost(post, row)),
    planHash,
    ...(slots.length > 0 && { slots }),
  });
  return { preview, confirmation: { confirmationToken, expiresAt: lifetime.expiresAt } };
}

/** The rows with the times of their slots; a row for which there is none has this problem. */
async function atSlots(ctx: Context, rows: readonly BulkRow[]): Promise<readonly BulkRow[]> {
  const inputs = rows.flatMap(({ input }) => input ?? []);
  const asking = inputs.filter(({ slot }) => slot !== undefined);
  if (asking.length === 0) {
    return rows;
  }
  const { chooseSlots } = await import("#planning/slots/choose-slots.ts");
  const chosen = await chooseSlots(
    ctx,
    asking.map(({ scheduledAt }) => scheduledAt),
    { taken: inputs.filter(({ slot }) => slot === undefined).map(({ scheduledAt }) => scheduledAt) },
  );
  return rows.map((entry) => {
    const slot = entry.input === null ? undefined : chosen[asking.indexOf(entry.input)];
    if (entry.input === null || slot === undefined) {
      return entry;
    }
    return slot.problem
      ? { ...entry, input: null, problems: [...entry.problems, slot.problem] }
      : { ...entry, input: { ...entry.input, scheduledAt: slot.at, timeWarning: undefined } };
  });
}

function existing(assessed: AssessedPost | undefined): AssessedPost {
  if (!assessed) {
    throw new Error("a post was not assessed");
  }
  return assessed;
}

/** Refuses with all problems of all posts, each with its row. */
function refuseUnlessSkipped(problemsOf: ReadonlyMap<number, readonly RefusalDetail[]>, skipInvalid: boolean): void {
  const problems = [...problemsOf].flatMap(([row, details]) => details.map((detail) => ({ ...detail, row })));
  if (problems.length > 0 && !skipInvalid) {
    refuseProblems(problems);
  }
}

/** The good posts with the copies of their images, all made together. */
async function withCopies<Post extends AssessedPost>(
  ctx: Context,
  posts: readonly Post[],
): Promise<readonly (Post & AssessedPost)[]> {
  if (!posts.some(({ needsCopies }) => needsCopies)) {
    return posts;
  }
  const fits = await fitPosts(
    ctx,
    posts.map(({ fitted }) => fitted),
  );
  const made = await fits.make();
  return posts.map((post, index) => {
    const copies = made[index];
    return copies ? { ...post, ...post.withCopies(copies, (problems, of) => fits.withProblems(problems, of)) } : post;
  });
}

function toPost({ id, input }: NewPost, { media, postType, validation }: AssessedPost): Promise<PostInsert> {
  const { annotations = NO_ANNOTATIONS } = input;
  return withPlanHash({
    id,
    scheduledAt: input.scheduledAt,
    caption: input.caption,
    postType,
    media: media.map(storedMedia),
    targets: validation.targets,
    ...(hasAnnotations(annotations) && { annotations }),
  });
}

function toPreview({ targets, warnings }: AssessedPost, post: PostInsert): SchedulePreview {
  return {
    action: "schedule",
    scheduledAt: post.scheduledAt,
    postType: post.postType,
    caption: post.caption,
    targets,
    mediaItems: post.media,
    annotations: post.annotations ?? NO_ANNOTATIONS,
    warnings,
    planHash: post.planHash,
  };
}
