import type { RefusalDetail } from "#core/errors.ts";
import { platformsOf } from "#core/platform.ts";
import type { AssessedPost, AssessedSet } from "#planning/assess/assess.ts";
import type { EditedPost } from "#planning/candidates/apply-edit.ts";
import type { EditedSet } from "#planning/candidates/edited-posts.ts";
import type { ValidationWarning } from "#platforms/contract.ts";
import type { Facts, PostAccount } from "#planning/facts/types.ts";
import { planHashOf, type PlanHashInput } from "#planning/plan/plan-hash.ts";
import { type EditPlan, mediaIdsOf, type PostUpdate, storedMedia, withTargets } from "#planning/plan/post-plan.ts";
import type { EditInput, EditPreview, PlannedTime } from "#planning/plan/types.ts";
import { toFieldChanges } from "#posts/rows/change-record.ts";
import { storedDocument } from "#posts/rows/option-document.ts";
import { type PostTexts, searchTextOfPost, textsOfPost } from "#posts/rows/search-text.ts";
import type { StoredPost, StoredTarget } from "#posts/rows/store-post-rows.ts";
import { storedThreadMedia } from "#posts/rows/thread-media.ts";
import { changedTargets, diffEdit, withPositions } from "./edit-diff.ts";
import { repeatableRequest } from "./repeatable-request.ts";

export interface PlannedEdit {
  readonly posts: readonly {
    readonly stored: StoredPost;
    readonly preview: EditPreview["posts"][number];
    readonly update: PostUpdate<PlannedTime>;
  }[];
  readonly dependencies: EditPlan["dependencies"];
  /**
   * The edit with the media and accounts that were found. If it is repeated, it fetches nothing and selects no other
   * account.
   */
  readonly request: EditInput;
  readonly accounts: ReadonlyMap<string, PostAccount>;
  readonly now: number;
}

export interface AssessedEdit {
  readonly problems: readonly RefusalDetail[];
  /** The planned edit; null if it is refused. */
  readonly edit: PlannedEdit | null;
}

/** Plans what the confirm of an edit writes, if the edit has no problems. Refuses an edit that changes nothing. */
export async function planEdit(
  { set, posts: assessed }: AssessedSet<EditedSet>,
  input: EditInput,
  { now }: Pick<Facts, "now">,
  before: readonly AssessedPost[] | null,
): Promise<AssessedEdit> {
  const { context, media } = set;
  const posts = await Promise.all(assessed.map((post) => toPlannedPost(post, before)));
  if (posts.every(({ preview }) => preview.changes.length === 0)) {
    return { problems: [{ code: "no_changes", message: "this edit changes nothing" }], edit: null };
  }
  const usable = assessed.flatMap(({ candidate }) =>
    candidate.resolvedTargets.filter(({ account, skipped }) => account.status === "active" && !skipped),
  );
  const mediaIds = posts.flatMap(({ update }) => update.mediaIds ?? []);
  const edit: PlannedEdit = {
    posts,
    dependencies: {
      accountIds: [...new Set(usable.map(({ account }) => account.id))],
      mediaIds: [...new Set([...mediaIdsOf({ media: context.media ?? [] }), ...mediaIds])],
    },
    request: repeatableRequest(input, context, media.documents),
    accounts: context.accounts,
    now,
  };
  return { problems: [], edit };
}

async function toPlannedPost(
  { candidate: edited, postType, ...assessed }: AssessedPost<EditedPost>,
  before: readonly AssessedPost[] | null,
): Promise<PlannedEdit["posts"][number]> {
  const {
    caption,
    lockedTargets,
    media,
    labels,
    removedAccountIds,
    rescheduled,
    status,
    pausedReason,
    previousStatus,
    stored,
  } = edited;
  const { id, version, annotations } = stored.post;
  const scheduledAt = edited.isNow ? "now" : edited.scheduledAt;
  const targets = withPositions(edited, assessed.targets);
  const mediaItems = media.map(storedMedia);
  const hashed: PlanHashInput = { postType, media: mediaItems, targets: lockedTargets.map(toHashedTarget) };
  const planHash = await planHashOf(withTargets(hashed, targets, scheduledAt));
  const changes = diffEdit(edited, targets);
  const changed = changedTargets(edited, targets);
  const hasNewMedia = changes.some(({ field, accountId }) => field === "media_items" && accountId === undefined);
  // An edit may drop copies, thread media or documents that the post needed before, and may need others.
  const hasFiles = [...stored.targets, ...changed].some(
    ({ media: own, options }) =>
      own !== null || storedThreadMedia(options).length > 0 || storedDocument(options) !== null,
  );
  return {
    stored,
    preview: {
      id,
      version,
      accounts: stored.targets.map(({ platform, username }) => ({ platform, username })),
      changes,
      newWarnings: newWarnings(
        { scheduledAt, warnings: edited.warnings, targets: assessed.previews },
        before?.find(({ candidate }) => candidate.id === id),
      ),
      after: {
        action: "schedule",
        scheduledAt,
        postType,
        caption,
        targets: assessed.previews,
        mediaItems,
        annotations: { ...annotations, labels },
        warnings: edited.warnings,
        planHash,
      },
    },
    update: {
      id,
      version,
      previousStatus,
      status,
      pausedReason,
      scheduledAt,
      rescheduled,
      caption,
      postType,
      platforms: platformsOf([...lockedTargets, ...targets].toSorted((a, b) => a.position - b.position)),
      planHash,
      media: hasNewMedia ? mediaItems : null,
      mediaIds:
        hasNewMedia || (hasFiles && changed.length > 0)
          ? mediaIdsOf({ media, targets: [...lockedTargets, ...targets] })
          : null,
      searchText: newSearchText(stored, { caption, targets: [...lockedTargets, ...targets] }),
      targets: changed,
      removedAccountIds,
      labels: changes.some(({ field }) => field === "labels") ? { before: annotations.labels, after: labels } : null,
      changes: toFieldChanges(changes),
      ...(edited.isNow && { hashed }),
    },
  };
}

/** The members of a target that the plan hash covers, so that a plan does not contain the rest of the row. */
function toHashedTarget({
  accountId,
  effectiveCaption,
  options,
  media,
  dueAt,
}: StoredTarget): PlanHashInput["targets"][number] {
  return { accountId, effectiveCaption, options, media, dueAt };
}

type Warned = EditPreview["posts"][number]["newWarnings"];

/** Leaves out warnings that the post already has without the edit. */
function newWarnings(after: Warned, before: AssessedPost | undefined): Warned {
  const known = new Set(
    before && [
      ...before.candidate.warnings.map((warning) => keyOf(warning)),
      ...before.previews.flatMap(({ accountId, warnings }) => warnings.map((warning) => keyOf(warning, accountId))),
    ],
  );
  return {
    scheduledAt: after.scheduledAt,
    warnings: after.warnings.filter((warning) => !known.has(keyOf(warning))),
    targets: after.targets.map((target) => ({
      ...target,
      warnings: target.warnings.filter((warning) => !known.has(keyOf(warning, target.accountId))),
    })),
  };
}

function keyOf({ code, message }: ValidationWarning, accountId = ""): string {
  return JSON.stringify([accountId, code, message]);
}

function newSearchText({ post, targets }: StoredPost, edited: PostTexts): string | null {
  return textsOfPost({ caption: post.caption, targets }) === textsOfPost(edited) ? null : searchTextOfPost(edited);
}
