import type { Context } from "#context.ts";
import type { RefusalDetail } from "#core/errors.ts";
import type { Facts, RequestedMedia } from "#planning/facts/types.ts";
import type { EditInput } from "#planning/plan/types.ts";
import { toStoredPost } from "#posts/rows/store-post-rows.ts";
import { applyEdit, type EditContext, type EditedPost, editInputProblems, selectsAccounts } from "./apply-edit.ts";
import { coverProblems } from "./cover-problems.ts";
import { mediaListProblems, POST_MEDIA } from "./media-lists.ts";
import { findMedia } from "./requested-media.ts";
import { resolveTargets } from "./resolve-targets.ts";
import { targetTextProblems, textProblems } from "./text-problems.ts";
import type { CandidateSet } from "./types.ts";
import { withPostId } from "./with-post-id.ts";

export interface EditedSet extends CandidateSet<EditedPost> {
  readonly context: EditContext;
}

/** Finds problems of the request itself. They must be solved before anything else can be checked. */
export function editProblems(input: EditInput): readonly RefusalDetail[] {
  return [
    ...editInputProblems(input),
    ...textProblems("caption", input.caption),
    ...targetTextProblems("targets", input.targets),
    ...targetTextProblems("target_options", input.targetOptions),
    ...mediaListProblems(input),
  ];
}

export function editedSet(
  services: Pick<Context, "outbound">,
  input: EditInput,
  request: RequestedMedia,
  facts: Facts,
): EditedSet {
  const media = findMedia(services, request, facts);
  const hasMedia = input.mediaItems !== undefined || input.mediaUrls !== undefined;
  const { accounts, archivedIds, mediaFacts, rows } = facts.edited;
  const context: EditContext = {
    newTargets: selectsAccounts(input) ? resolveTargets(input, facts.accounts) : null,
    accounts,
    media: hasMedia ? (media.lists.get(POST_MEDIA) ?? []) : null,
    lists: media.lists,
    facts: mediaFacts,
    subscribed: facts.subscribed,
    now: facts.now,
  };
  const namesPosts = input.postIds.length > 1;
  const problems: RefusalDetail[] = [...media.problems, ...(context.newTargets?.problems ?? [])];
  const candidates: EditedPost[] = [];
  for (const [index, id] of input.postIds.entries()) {
    const row = rows.find((candidate) => candidate.id === id);
    if (row) {
      const edited = applyEdit(toStoredPost(row, facts.now), input, context);
      problems.push(...edited.problems.map((problem) => (namesPosts ? withPostId(problem, id) : problem)));
      candidates.push(...(edited.ok ? [edited.value] : []));
    } else {
      const param = `post_ids[${index}]`;
      problems.push(
        archivedIds.has(id)
          ? { code: "invalid_state", message: "an archived post cannot be edited", param }
          : { code: "post_not_found", message: "post not found", param },
      );
    }
  }
  if (media.complete) {
    problems.push(...coverProblems(media.lists, request.params));
  }
  return { candidates, problems, request, media, namesPosts, unreadMembers: input.unreadMembers, context };
}
