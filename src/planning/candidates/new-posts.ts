import type { TargetAccount } from "#accounts/index.ts";
import type { Context } from "#context.ts";
import type { RefusalDetail } from "#core/errors.ts";
import { POST_TYPES, type PostType, postTypeOf } from "#core/status.ts";
import type { Facts, MediaWithFacts, RequestedMedia } from "#planning/facts/types.ts";
import type { PlannedTime, ScheduleInput } from "#planning/plan/types.ts";
import { coverProblems } from "./cover-problems.ts";
import { mediaListProblems, POST_MEDIA } from "./media-lists.ts";
import { findMedia } from "./requested-media.ts";
import { accountFilterOf, resolveTargets } from "./resolve-targets.ts";
import { checkedTime, timeProblems, timeWarnings } from "./schedule-time.ts";
import { targetTextProblems, textProblems } from "./text-problems.ts";
import type { Candidate, CandidateSet } from "./types.ts";

/** The input for a post that a person is still typing. */
export interface TypedInput extends Omit<ScheduleInput, "scheduledAt"> {
  /** The time; null while the person has chosen none. */
  readonly scheduledAt: PlannedTime | null;
  /**
   * The stored post that is being edited, so that it does not count as another post of its accounts. Rules that concern
   * only new posts (past times, accounts without a login, the number of scheduled posts) are left to the preview of the
   * edit.
   */
  readonly editedPostId?: string | undefined;
}

export interface NewPost {
  /** The id that the post will get, if it is known already. */
  readonly id: string;
  /** The position in a bulk request, counted from 1. Undefined for a single post. */
  readonly row?: number | undefined;
  /** The input; null if it could not be read. */
  readonly input: TypedInput | null;
  /**
   * Completes an unfinished form once the accounts are known, because the meaning of an option depends on their
   * platforms.
   */
  readonly complete?: ((accounts: readonly TargetAccount[]) => TypedInput) | undefined;
  /** Problems because of which nothing else of the post is checked. */
  readonly problems: readonly RefusalDetail[];
  readonly media: RequestedMedia;
}

/** Finds problems of the texts themselves. They must be solved before anything else can be checked. */
export function newPostTextProblems(
  input: Pick<ScheduleInput, "caption" | "mediaItems" | "targets">,
): readonly RefusalDetail[] {
  return [
    ...textProblems("caption", input.caption),
    ...targetTextProblems("targets", input.targets),
    ...mediaListProblems(input),
  ];
}

export function emptyCaptionProblems(caption: string): readonly RefusalDetail[] {
  return caption === "" ? [{ code: "caption_required", message: "the text must not be empty", param: "caption" }] : [];
}

/** The problem of `now` in a bulk request: no plan has posts at the same accounts in the same second. */
const NOW_OF_MANY: RefusalDetail = {
  code: "invalid_value",
  message: "`now` is for a post that is previewed alone: write the time of this one",
  param: "scheduled_at",
  actual: "now",
};

export interface NewPostSet extends CandidateSet {
  readonly post: NewPost;
}

export function newPostSet(services: Pick<Context, "outbound">, requested: NewPost, facts: Facts): NewPostSet {
  const input = requested.complete?.(facts.accounts) ?? requested.input;
  const post = { ...requested, input };
  const media = findMedia(services, post.media, facts);
  const set = { post, request: post.media, media, namesPosts: false };
  // A caption may be empty while the person is typing.
  const isTyped = post.complete !== undefined && input !== null;
  const unreadable = isTyped ? newPostTextProblems(input) : post.problems;
  const emptyCaption = isTyped ? emptyCaptionProblems(input.caption) : [];
  if (input === null || unreadable.length > 0) {
    return { ...set, candidates: [], problems: [...emptyCaption, ...unreadable] };
  }
  const { editedPostId, unreadMembers } = input;
  const scheduledAt = checkedTime(input.scheduledAt, facts.now);
  const filter = accountFilterOf(input);
  const selected = facts.accounts.filter(
    ({ id, platform, username }) =>
      filter.ids.includes(id) ||
      filter.platforms.includes(platform) ||
      (filter.usernames?.includes(username.toLowerCase()) ?? false),
  );
  const { resolvedTargets, problems, warnings } = resolveTargets(input, selected);
  const ownMedia = media.lists.get(POST_MEDIA) ?? [];
  const all = [
    ...emptyCaption,
    ...(scheduledAt === null ? [] : timeProblems(scheduledAt, facts.now, "scheduled_at")),
    ...(input.scheduledAt === "now" && post.row !== undefined ? [NOW_OF_MANY] : []),
    ...media.problems,
    ...problems,
    ...(media.complete ? postTypeProblems(input.postType, ownMedia) : []),
    ...(media.complete ? coverProblems(media.lists, post.media.params) : []),
  ];
  const isEdited = editedPostId !== undefined;
  const candidate: Candidate = {
    id: post.id,
    row: post.row,
    caption: input.caption,
    scheduledAt,
    media: ownMedia,
    lists: media.lists,
    resolvedTargets,
    sentTexts: [],
    warnings: [
      ...warnings,
      ...(input.scheduledAt === null || isEdited ? [] : timeWarnings(input.scheduledAt, facts.now, input)),
      ...(input.memberWarnings ?? []),
    ],
  };
  return {
    ...set,
    candidates: [candidate],
    problems: isEdited ? all.filter((problem) => !isOfNewPostsOnly(problem)) : all,
    unreadMembers,
  };
}

function postTypeProblems(
  requestedType: PostType | undefined,
  media: readonly Pick<MediaWithFacts, "type">[],
): RefusalDetail[] {
  const actual = postTypeOf(media);
  return requestedType === undefined || requestedType === actual || !POST_TYPES.includes(requestedType)
    ? []
    : [
        {
          code: "post_type_mismatch",
          message: `with this media the post has the type ${actual}`,
          param: "post_type",
          limit: actual,
          actual: requestedType,
        },
      ];
}

function isOfNewPostsOnly({ code }: RefusalDetail): boolean {
  return code === "scheduled_at_in_past" || code === "account_not_found" || code === "account_needs_reconnect";
}
