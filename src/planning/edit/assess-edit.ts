import { platformsOf } from "#core/platform.ts";
import { accountsStatement, readAccounts } from "#accounts/index.ts";
import { archivedAmong } from "#archive/index.ts";
import type { Context } from "#context.ts";
import { MINUTE } from "#core/clock.ts";
import type { RefusalDetail } from "#core/errors.ts";
import type { JsonObject } from "#core/json.ts";
import { postTypeOf } from "#core/status.ts";
import { type ResolvedTarget, resolveTargets, accountFilterOf } from "#planning/checks/resolve-targets.ts";
import { coverProblems } from "#planning/checks/cover-problems.ts";
import { dailyCapProblems } from "#planning/checks/daily-caps.ts";
import { nearbyQuery, withDuplicateTextWarnings } from "#planning/checks/duplicate-text.ts";
import {
  applyEdit,
  selectsAccounts,
  type EditedPost,
  type EditContext,
  editInputProblems,
  type PostAccount,
} from "./apply-edit.ts";
import { changedTargets, diffEdit, withPositions } from "./edit-diff.ts";
import { repeatableRequest } from "./repeatable-request.ts";
import { toFieldChanges } from "#posts/rows/change-record.ts";
import { fitPosts } from "#planning/checks/defer-fits.ts";
import type { MadeFits } from "#planning/checks/fit-targets.ts";
import { countHourlyUse } from "#quotas/index.ts";
import { refreshCapabilities } from "#planning/checks/refresh-capabilities.ts";
import { mediaListProblems, mediaListsOf, POST_MEDIA } from "#planning/checks/media-lists.ts";
import { lookUpMedia, type MediaByPlace, type MediaLookup } from "#planning/checks/resolve-media.ts";
import {
  type MediaWithFacts,
  problemsWithAnyMedia,
  validateTargets,
  type TargetValidation,
} from "#planning/checks/validate-targets.ts";
import { type EditPlan, mediaIdsOf, type PostUpdate, storedMedia } from "#planning/plan/post-plan.ts";
import { planHashOf } from "#planning/plan/plan-hash.ts";
import { problemsOfReadMembers } from "#planning/checks/problems-of-read-members.ts";
import { refuseProblems } from "#posts/rows/refuse.ts";
import { type PostRow, type StoredPost, toStoredPost } from "#posts/rows/post-rows.ts";
import { timeWarnings } from "#planning/checks/validate-schedule-time.ts";
import { sortByIds, postsStatement } from "#posts/rows/store-posts-by-id.ts";
import {
  comparedPart,
  nearbyPostsOfEditStatement,
  type NearbyPosts,
  readNearbyPosts,
  type TextAtTime,
} from "#planning/checks/store-nearby-posts.ts";
import {
  type FactsRow,
  postAccountsStatement,
  postFactsStatement,
  readFacts,
  readPostAccounts,
} from "./store-edited-accounts-and-media.ts";
import { storedDocument } from "#posts/rows/option-document.ts";
import { storedThreadMedia } from "#posts/rows/thread-media.ts";
import type { EditInput, EditPreview } from "#planning/plan/types.ts";
import { targetTextProblems, textProblems } from "#planning/checks/validate-text-encoding.ts";

/** What an edit would do to each of its posts. */
export interface AssessedEdit {
  readonly posts: readonly {
    /** As the post is now. */
    readonly stored: StoredPost;
    readonly preview: EditPreview["posts"][number];
    readonly update: PostUpdate;
  }[];
  readonly dependencies: EditPlan["dependencies"];
  /** The same edit again, with the media and accounts that were found; it fetches nothing and selects no other account. */
  readonly request: EditInput;
  /** The accounts of the posts, by id. */
  readonly accounts: ReadonlyMap<string, PostAccount>;
  readonly now: number;
}

/**
 * Finds out what an edit does, or refuses it with every problem; nothing is changed. `counts` says whether it counts as one of the
 * previews of the hour.
 */
export async function assessEdit(
  ctx: Context,
  input: EditInput,
  { counts }: { readonly counts: boolean },
): Promise<AssessedEdit> {
  const inputProblems = [...editInputProblems(input), ...editTextProblems(input)];
  if (inputProblems.length > 0) {
    refuseProblems(inputProblems);
  }
  const data = await loadEditData(ctx, input, counts);
  const { mediaLookup } = data;
  const hasMedia = input.mediaItems !== undefined || input.mediaUrls !== undefined;
  const [guess = new Map<string, readonly MediaWithFacts[]>()] = mediaLookup.guesses;
  const newMediaOf = (lists: MediaByPlace) => ({ media: hasMedia ? (lists.get(POST_MEDIA) ?? []) : null, lists });
  const unread = applyEdits(data, input, { ...data.editContext, ...newMediaOf(guess) });
  const capabilities = await refreshCapabilities(
    ctx,
    uniqueByAccount(unread.edits.flatMap((edited) => edited.resolvedTargets.filter(({ skipped }) => !skipped))),
  );
  const problemsBeforeMedia = () => [
    ...unread.problems,
    ...unread.edits.flatMap((edited) => {
      const request = toRequest(edited, mediaLookup.params, capabilities);
      const problems = problemsWithAnyMedia(ctx, request, mediaLookup.guesses);
      return withPostId(input, edited.stored.post.id, problems);
    }),
    ...editCapProblems(ctx, input, data, unread.edits, capabilities),
  ];
  const isRefused = mediaLookup.fetches && (input.unreadMembers !== undefined || problemsBeforeMedia().length > 0);
  const media = await mediaLookup.resolve(data.mediaRows, isRefused);
  if (!media.complete) {
    refuseProblems(problemsOfReadMembers([...media.problems, ...problemsBeforeMedia()], input.unreadMembers));
  }
  // The time is read after the media import, which may have taken minutes.
  const editContext = { ...data.editContext, ...newMediaOf(media.lists), now: ctx.clock.now() };
  const { edits, problems: editProblems } = applyEdits(data, input, editContext);
  const capProblems = editCapProblems(ctx, input, data, edits, capabilities);
  const fits = await fitPosts(ctx, edits);
  const validate = (made: readonly MadeFits[]) => {
    const validated = edits.map((edited, index) => {
      const { media: mediaOfAccounts = new Map(), unavailable = new Map() } = made[index] ?? {};
      const request = toRequest(edited, mediaLookup.params, capabilities);
      const postType = postTypeOf(edited.media);
      const validation = validateTargets(ctx, {
        ...request,
        postType,
        media: edited.media,
        lists: edited.lists,
        documents: media.documents,
        mediaOfAccounts,
      });
      return {
        edited,
        validation,
        problems: fits.withProblems(validation.problems, { media: mediaOfAccounts, unavailable }),
      };
    });
    const problems = [
      ...editProblems,
      ...coverProblems(media.lists, mediaLookup.params),
      ...validated.flatMap(({ edited, problems: own }) => withPostId(input, edited.stored.post.id, own)),
      ...capProblems,
    ];
    if (problems.length > 0 || input.unreadMembers !== undefined) {
      refuseProblems(problemsOfReadMembers(problems, input.unreadMembers));
    }
    return validated;
  };
  const validatedAsPlanned = validate(fits.planned);
  const needsCopies = fits.planned.some((planned) => planned.fits.length > 0);
  const validatedEdits = needsCopies ? validate(await fits.make()) : validatedAsPlanned;
  const textsOfEdit = editedTexts(validatedEdits);
  const posts = await Promise.all(
    validatedEdits.map(async ({ edited, validation }) => {
      const textsOf = (accountId: string) => [
        ...(data.nearbyPosts.texts.get(accountId) ?? []),
        ...textsOfEdit.filter((text) => text.accountId === accountId && text.postId !== edited.stored.post.id),
      ];
      const previews = withDuplicateTextWarnings(ctx, validation, textsOf, edited.scheduledAt);
      return { stored: edited.stored, ...(await buildUpdate(edited, { ...validation, previews }, input, editContext)) };
    }),
  );
  if (posts.every(({ preview }) => preview.changes.length === 0)) {
    refuseProblems([{ code: "no_changes", message: "this edit changes nothing" }]);
  }
  return {
    posts,
    dependencies: dependenciesOf(
      edits,
      editContext,
      posts.flatMap(({ update }) => update.mediaIds ?? []),
    ),
    request: repeatableRequest(input, editContext, media.documents),
    accounts: editContext.accounts,
    now: editContext.now,
  };
}

interface EditData {
  /** Without the media of the request, which are resolved only after all other checks. */
  readonly editContext: Omit<EditContext, "media" | "lists">;
  readonly rows: readonly PostRow[];
  readonly nearbyPosts: NearbyPosts;
  /** The posts without a row that are archived. */
  readonly archivedIds: ReadonlySet<string>;
  readonly mediaLookup: MediaLookup;
  readonly mediaRows: readonly unknown[];
}

/** Reads everything an edit depends on in one round trip. */
async function loadEditData(ctx: Context, input: EditInput, counts: boolean): Promise<EditData> {
  const { actor } = ctx;
  const db = ctx.db;
  const { postIds } = input;
  const mediaLookup = lookUpMedia(ctx, mediaListsOf(input));
  const accountFilter = selectsAccounts(input) ? accountFilterOf(input) : { ids: [], platforms: [] };
  const rescheduling = { postIds, scheduledAt: input.scheduledAt ?? null, shiftMs: (input.shiftMinutes ?? 0) * MINUTE };
  const previewUse = counts ? countHourlyUse(ctx, [{ kind: "previews", count: 1 }]) : null;
  const [posts, selectedAccountRows, accountRows, factsRows, mediaRows, nearbyPostRows, counted, currentUse] =
    await db.d1.batch([
      postsStatement(db, actor, postIds),
      accountsStatement(db, actor, accountFilter),
      postAccountsStatement(db, actor, postIds),
      postFactsStatement(db, actor, postIds),
      mediaLookup.statement ?? db.d1.prepare("SELECT NULL WHERE 0"),
      nearbyPostsOfEditStatement(db, actor, accountFilter, rescheduling, nearbyQuery(ctx)),
      ...(previewUse?.statements ?? []),
    ]);
  previewUse?.check([counted, currentUse]);
  const rowsOf = <Row>(result: D1Result | undefined) => (result?.results ?? []) as Row[];
  const rows = sortByIds(postIds, rowsOf<PostRow>(posts));
  return {
    rows,
    archivedIds: await archivedAmong(ctx, withoutRow(postIds, rows)),
    nearbyPosts: readNearbyPosts(nearbyPostRows),
    mediaLookup,
    mediaRows: rowsOf(mediaRows),
    editContext: {
      newTargets: selectsAccounts(input) ? resolveTargets(input, readAccounts(rowsOf(selectedAccountRows))) : null,
      accounts: readPostAccounts(rowsOf(accountRows)),
      facts: readFacts(rowsOf<FactsRow>(factsRows)),
      subscribed: actor.subscribed,
      now: ctx.clock.now(),
    },
  };
}

function withoutRow(ids: readonly string[], rows: readonly PostRow[]): readonly string[] {
  return ids.filter((id) => rows.every((row) => row.id !== id));
}

/** Applies the edit to every post that was found. */
function applyEdits(
  { rows, archivedIds }: Pick<EditData, "rows" | "archivedIds">,
  input: EditInput,
  editContext: EditContext,
): { readonly edits: readonly EditedPost[]; readonly problems: readonly RefusalDetail[] } {
  const problems: RefusalDetail[] = [...(editContext.newTargets?.problems ?? [])];
  const edits: EditedPost[] = [];
  for (const [index, id] of input.postIds.entries()) {
    const row = rows.find((candidate) => candidate.id === id);
    if (!row) {
      const param = `post_ids[${index}]`;
      problems.push(
        archivedIds.has(id)
          ? { code: "invalid_state", message: "an archived post cannot be edited", param }
          : { code: "post_not_found", message: "post not found", param },
      );
      continue;
    }
    const edited = applyEdit(toStoredPost(row, editContext.now), input, editContext);
    problems.push(...withPostId(input, id, edited.problems));
    if (edited.ok) {
      edits.push(edited.value);
    }
  }
  return { edits, problems };
}

function editCapProblems(
  ctx: Pick<Context, "adapterFor" | "config">,
  input: EditInput,
  { nearbyPosts }: Pick<EditData, "nearbyPosts">,
  edits: readonly EditedPost[],
  capabilities: ReadonlyMap<string, JsonObject>,
): RefusalDetail[] {
  return edits.flatMap((edited) => {
    const otherTimes = otherPostTimes(nearbyPosts.times, edits, edited);
    const problems = dailyCapProblems(ctx, edited.resolvedTargets, otherTimes, edited.scheduledAt, capabilities);
    return withPostId(input, edited.stored.post.id, problems);
  });
}

function editTextProblems(input: EditInput): RefusalDetail[] {
  return [
    ...textProblems("caption", input.caption),
    ...targetTextProblems("targets", input.targets),
    ...targetTextProblems("target_options", input.targetOptions),
    ...mediaListProblems(input),
  ];
}

function toRequest(
  { caption, resolvedTargets }: EditedPost,
  mediaParams: MediaByPlace<string>,
  capabilities: ReadonlyMap<string, JsonObject>,
) {
  return { caption, mediaParams, resolvedTargets, capabilities };
}

/** With several posts, names the post in each message. */
function withPostId(input: EditInput, postId: string, problems: readonly RefusalDetail[]): RefusalDetail[] {
  return problems.map((problem) =>
    input.postIds.length > 1 ? { ...problem, message: `post ${postId}: ${problem.message}` } : problem,
  );
}

function uniqueByAccount(resolvedTargets: readonly ResolvedTarget[]): ResolvedTarget[] {
  return [...new Map(resolvedTargets.map((target) => [target.account.id, target])).values()];
}

/** The times of the other posts of each account, edited ones with their new times. */
function otherPostTimes(
  nearbyTimes: ReadonlyMap<string, readonly number[]>,
  edits: readonly EditedPost[],
  edited: EditedPost,
): ReadonlyMap<string, readonly number[]> {
  return new Map(
    edited.resolvedTargets.map(({ account }) => {
      const otherEdits = edits.filter(
        (other) => other !== edited && other.resolvedTargets.some((target) => target.account.id === account.id),
      );
      return [account.id, [...(nearbyTimes.get(account.id) ?? []), ...otherEdits.map((other) => other.scheduledAt)]];
    }),
  );
}

/** What the edited posts send after the edit, with what they have sent already. */
function editedTexts(
  validatedEdits: readonly { readonly edited: EditedPost; readonly validation: TargetValidation }[],
): readonly (TextAtTime & { readonly accountId: string })[] {
  return validatedEdits.flatMap(({ edited, validation }) => {
    const sent = edited.lockedTargets.filter(({ state }) => state !== "failed" && state !== "skipped");
    const planned = validation.targets.filter(({ skipped }) => !skipped);
    return [...sent, ...planned.map((target) => ({ ...target, dueAt: edited.scheduledAt }))].map(
      ({ accountId, effectiveCaption, dueAt }) => ({
        accountId,
        postId: edited.stored.post.id,
        at: dueAt,
        text: comparedPart(effectiveCaption),
      }),
    );
  });
}

function dependenciesOf(edits: readonly EditedPost[], { media }: EditContext, mediaIds: readonly string[]) {
  const usable = edits.flatMap(({ resolvedTargets }) =>
    resolvedTargets.filter(({ account, skipped }) => account.status === "active" && !skipped),
  );
  return {
    accountIds: uniqueByAccount(usable).map(({ account }) => account.id),
    mediaIds: [...new Set([...mediaIdsOf({ media: media ?? [] }), ...mediaIds])],
  };
}

async function buildUpdate(
  edited: EditedPost,
  validation: TargetValidation,
  input: EditInput,
  editContext: EditContext,
): Promise<{ readonly preview: EditPreview["posts"][number]; readonly update: PostUpdate }> {
  const {
    caption,
    lockedTargets,
    media,
    removedAccountIds,
    rescheduled,
    scheduledAt,
    status,
    pausedReason,
    previousStatus,
    stored,
  } = edited;
  const { id, version } = stored.post;
  const { previews } = validation;
  const targets = withPositions(edited, validation.targets);
  const postType = postTypeOf(media);
  const planHash = await planHashOf({
    postType,
    media,
    targets: [...lockedTargets, ...targets.map((target) => ({ ...target, dueAt: scheduledAt }))],
  });
  const mediaItems = media.map(storedMedia);
  const changes = diffEdit(edited, targets);
  const changed = changedTargets(edited, targets);
  const hasNewMedia = changes.some(({ field, accountId }) => field === "media_items" && accountId === undefined);
  // What was made to fit, part of a thread or a document before may not be needed any more, and other files may be.
  const hasFiles = [...stored.targets, ...changed].some(
    ({ media: own = null, options }) =>
      own !== null || storedThreadMedia(options).length > 0 || storedDocument(options) !== null,
  );
  return {
    preview: {
      id,
      version,
      changes,
      after: {
        action: "schedule",
        scheduledAt,
        postType,
        caption,
        targets: previews,
        mediaItems,
        annotations: stored.post.annotations,
        warnings: [...(editContext.newTargets?.warnings ?? []), ...timeWarnings(scheduledAt, editContext.now, input)],
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
        hasFiles && (hasNewMedia || changed.length > 0)
          ? mediaIdsOf({ media, targets: [...lockedTargets, ...targets] })
          : null,
      targets: changed,
      removedAccountIds,
      changes: toFieldChanges(changes),
    },
  };
}
