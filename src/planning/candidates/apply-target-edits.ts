import type { RefusalDetail } from "#core/errors.ts";
import type { JsonObject } from "#core/json.ts";
import { namesMedia, optionsPlace, removesMedia, storedOwnMedia } from "./media-lists.ts";
import type { EditContext } from "./apply-edit.ts";
import type { ResolvedTarget } from "./types.ts";
import type { StoredPost, StoredTarget } from "#posts/rows/store-post-rows.ts";
import { isOpen } from "#posts/rows/state-machine.ts";
import type { EditInput } from "#planning/plan/types.ts";

export interface TargetEditResult {
  readonly resolvedTargets: readonly ResolvedTarget[];
  readonly lockedTargets: readonly StoredTarget[];
  readonly removedAccountIds: readonly string[];
  readonly problems: readonly RefusalDetail[];
}

export function applyTargetEdits(
  { post, targets }: StoredPost,
  input: EditInput,
  context: EditContext,
  { isRetry, param }: { readonly isRetry: boolean; readonly param: string },
): TargetEditResult {
  // A retry of a failed post affects only targets that definitely failed. Other edits also change targets that are
  // skipped while their account is disconnected, so that a reconnect never publishes outdated text.
  const isEditable = ({ state }: StoredTarget) => (isRetry ? state === "failed" : isOpen(state) || state === "skipped");
  const editable = targets.filter(isEditable);
  const locked = targets.filter((target) => !isEditable(target));
  const { resolvedTargets, removedAccountIds, problems } = context.newTargets
    ? replaceTargets(context.newTargets, context, { editable, locked, isRetry })
    : keepTargets(editable, context, { isRetry, param });
  const withOptions = applyTargetOptions(resolvedTargets, input, locked);
  const nothingToRetry: RefusalDetail = {
    code: "nothing_to_retry",
    message: "no target of this post can be retried: those that were not confirmed as published may be public already",
    param,
  };
  return {
    resolvedTargets: withOptions.resolvedTargets.map((resolved) => withPublishedPart(resolved, targets, post)),
    lockedTargets: locked,
    removedAccountIds,
    problems: [...(isRetry && editable.length === 0 ? [nothingToRetry] : []), ...problems, ...withOptions.problems],
  };
}

function withPublishedPart(
  resolved: ResolvedTarget,
  targets: readonly StoredTarget[],
  { mediaItems }: StoredPost["post"],
): ResolvedTarget {
  const stored = targets.find(({ accountId }) => accountId === resolved.account.id);
  return stored === undefined || stored.parts === null
    ? resolved
    : {
        ...resolved,
        published: {
          caption: stored.effectiveCaption,
          options: stored.options,
          media: (stored.media ?? mediaItems).map(({ id }) => id),
          progress: stored.parts,
        },
      };
}

type TargetListChange = Omit<TargetEditResult, "lockedTargets">;

function keepTargets(
  editable: readonly StoredTarget[],
  { accounts, facts }: EditContext,
  { isRetry, param }: { readonly isRetry: boolean; readonly param: string },
): TargetListChange {
  const resolvedTargets: ResolvedTarget[] = [];
  const problems: RefusalDetail[] = [];
  for (const { accountId, platform, caption, requestedOptions, media } of editable) {
    const { account, connected } = accounts.get(accountId) ?? {};
    if (account && (connected || !isRetry)) {
      const ownMedia = storedOwnMedia(media, facts);
      resolvedTargets.push({
        account,
        caption,
        requestedOptions,
        ownMedia,
        threadMedia: { facts },
        param: null,
        skipped: !connected,
      });
    } else {
      const message = "this account is no longer connected";
      problems.push({ code: "account_not_found", message, param, accountId, platform });
    }
  }
  return { resolvedTargets, removedAccountIds: [], problems };
}

interface TargetsByEditability {
  readonly editable: readonly StoredTarget[];
  readonly locked: readonly StoredTarget[];
  readonly isRetry: boolean;
}

function replaceTargets(
  newTargets: NonNullable<EditContext["newTargets"]>,
  context: EditContext,
  { editable, locked, isRetry }: TargetsByEditability,
): TargetListChange {
  const resolvedTargets = newTargets.resolvedTargets.map((target) => keepStoredSettings(target, editable, context));
  const selectedAccountIds = new Set(resolvedTargets.map(({ account }) => account.id));
  const removedAccountIds = editable
    .filter((target) => !selectedAccountIds.has(target.accountId))
    .map((target) => target.accountId);
  const problems = resolvedTargets.flatMap(({ account, param }): RefusalDetail[] => {
    const lockedTarget = locked.find((target) => target.accountId === account.id);
    const where = param?.startsWith("targets") ? `${param}.account_id` : param;
    return lockedTarget ? [{ ...lockedTargetProblem(lockedTarget), ...(where !== null && { param: where }) }] : [];
  });
  const isUnchanged = selectedAccountIds.size === editable.length && removedAccountIds.length === 0;
  if (isRetry && !isUnchanged && problems.length === 0 && newTargets.problems.length === 0) {
    problems.push({
      code: "targets_fixed",
      message:
        "the accounts of a failed post cannot be changed: only its failed targets can be retried (use target_options)",
      param: "targets",
    });
  }
  return { resolvedTargets, removedAccountIds, problems };
}

/**
 * Keeps captions, options and media of accounts that stay: `account_ids` and `platforms` only change the list of
 * accounts.
 */
function keepStoredSettings(
  target: ResolvedTarget,
  editable: readonly StoredTarget[],
  { facts }: EditContext,
): ResolvedTarget {
  const storedTarget = target.param?.startsWith("targets")
    ? undefined
    : editable.find(({ accountId }) => accountId === target.account.id);
  return storedTarget
    ? {
        ...target,
        caption: storedTarget.caption,
        requestedOptions: storedTarget.requestedOptions,
        ownMedia: storedOwnMedia(storedTarget.media, facts),
        threadMedia: { facts },
        documentAt: undefined,
      }
    : target;
}

function lockedTargetProblem({ accountId, platform, state }: StoredTarget): RefusalDetail {
  const problem: RefusalDetail =
    state === "published"
      ? { code: "already_published", message: "this post is already published to this account" }
      : { code: "target_closed", message: `the target of this account can no longer be changed (${state})` };
  return { ...problem, accountId, platform };
}

/**
 * Changes captions, options and media of accounts on the post. Options that the request does not name stay unchanged.
 */
function applyTargetOptions(
  resolvedTargets: readonly ResolvedTarget[],
  { targetOptions = [] }: EditInput,
  locked: readonly StoredTarget[],
): { readonly resolvedTargets: readonly ResolvedTarget[]; readonly problems: readonly RefusalDetail[] } {
  const problems: RefusalDetail[] = [];
  const patched = new Map(resolvedTargets.map((target) => [target.account.id, target]));
  const seen = new Set<string>();
  for (const [index, change] of targetOptions.entries()) {
    const { accountId, caption, platformOptions } = change;
    const param = `target_options[${index}]`;
    const target = patched.get(accountId);
    if (target && !seen.has(accountId)) {
      patched.set(accountId, {
        ...target,
        caption: caption === undefined ? target.caption : caption,
        requestedOptions: mergeOptions(target.requestedOptions, platformOptions, caption),
        threadMedia: Object.hasOwn(platformOptions ?? {}, "thread") ? { at: optionsPlace(param) } : target.threadMedia,
        documentAt: Object.hasOwn(platformOptions ?? {}, "document") ? optionsPlace(param) : target.documentAt,
        ownMedia: namesMedia(change) ? { at: param } : removesMedia(change) ? null : target.ownMedia,
        param,
      });
    } else {
      const lockedTarget = locked.find((target) => target.accountId === accountId);
      problems.push({
        ...(lockedTarget ? lockedTargetProblem(lockedTarget) : unknownTargetProblem(accountId, seen)),
        param: `${param}.account_id`,
      });
    }
    seen.add(accountId);
  }
  return { resolvedTargets: [...patched.values()], problems };
}

/**
 * Merges changed options into the stored ones; null removes an option. Removing the own caption also removes a caption
 * given as an option.
 */
function mergeOptions(stored: JsonObject, changes: JsonObject = {}, caption?: string | null): JsonObject {
  const merged: JsonObject = { ...stored, ...(caption === null && { caption: null }), ...changes };
  const isRemoved = (name: string) =>
    merged[name] === null && (Object.hasOwn(changes, name) || (name === "caption" && caption === null));
  return Object.fromEntries(Object.entries(merged).filter(([name]) => !isRemoved(name)));
}

function unknownTargetProblem(accountId: string, seen: ReadonlySet<string>): RefusalDetail {
  return seen.has(accountId)
    ? { code: "duplicate_account", message: "this account is named more than once", accountId }
    : { code: "account_not_on_post", message: "this account is not on the post", accountId };
}
