import type { Services } from "#context.ts";
import type { RefusalDetail } from "#core/errors.ts";
import type { JsonObject } from "#core/json.ts";
import { type PostType, postTypeOf } from "#core/status.ts";
import type { ValidationProblem, ValidationWarning } from "#platforms/contract.ts";
import { optionScopeProblems } from "#platforms/extra-scopes.ts";
import { ownLimits } from "#platforms/limits-for.ts";
import { unknownOptions } from "#platforms/unknown-options.ts";
import { captionFor } from "#platforms/mentions.ts";
import { ownMediaOf, POST_MEDIA, threadMediaOf } from "#planning/candidates/media-lists.ts";
import type { ResolvedTarget } from "#planning/candidates/types.ts";
import type { MediaByPlace, MediaWithFacts } from "#planning/facts/types.ts";
import type { CopiedMedia } from "./fits.ts";
import { storedMedia, type TargetUpsert } from "#planning/plan/post-plan.ts";
import { type DocumentByPlace, withDocument } from "#posts/rows/option-document.ts";
import { withThreadMedia } from "#posts/rows/thread-media.ts";
import type { PreviewTarget } from "#planning/plan/types.ts";

export interface RequestedPost {
  readonly caption: string;
  readonly postType: PostType;
  readonly media: readonly MediaWithFacts[];
  /** The media that the request gives for single accounts, by their path in the request. */
  readonly lists: MediaByPlace;
  /** The request member of each media item, by path in the request. */
  readonly mediaParams: MediaByPlace<string>;
  readonly resolvedTargets: readonly ResolvedTarget[];
  /** The documents that options of accounts name, by path in the request. */
  readonly documents: DocumentByPlace;
  readonly mediaOfAccounts?: ReadonlyMap<string, CopiedMedia>;
  /** By account: what the platform allows, if it was asked just now and not only when the account was stored. */
  readonly capabilities: ReadonlyMap<string, JsonObject>;
}

export interface TargetValidation {
  readonly targets: readonly TargetUpsert[];
  readonly previews: readonly PreviewTarget[];
  readonly problems: readonly RefusalDetail[];
}

export function validateTargets(
  services: Pick<Services, "adapterFor" | "config">,
  post: RequestedPost,
): TargetValidation {
  const targets: TargetUpsert[] = [];
  const previews: PreviewTarget[] = [];
  const problems: RefusalDetail[] = [];
  for (const target of post.resolvedTargets) {
    const { account, skipped } = target;
    const adapter = services.adapterFor(account.platform);
    const accountRef = { accountId: account.id, platform: account.platform };
    const app = services.config.app(account.platform);
    // A skipped target is not published, so missing credentials of its platform must not prevent the others.
    if (!adapter || (app === null && !skipped)) {
      const message = `publishing to ${account.platform} is not set up on this server`;
      problems.push({ ...accountRef, code: "platform_not_configured", message, param: target.param ?? "platforms" });
      continue;
    }
    const effectiveCaption = captionFor(adapter, requestedCaptionOf(target, post.caption));
    const capabilities = post.capabilities.get(account.id) ?? account.capabilities;
    const settings = app?.settings ?? {};
    const own = ownMediaOf(target, post.lists);
    const copied = post.mediaOfAccounts?.get(account.id);
    const media = copied?.media ?? own;
    const stored = media?.map((item) => storedMedia(own === null ? item : { ...item, own: true })) ?? null;
    const partMedia = threadMediaOf(target, post.lists).map((items, part) => copied?.parts.get(part) ?? items);
    const requestedOptions = withDocument(
      withThreadMedia(
        target.requestedOptions,
        partMedia.map((items) => items?.map(storedMedia)),
      ),
      target.documentAt ?? null,
      post.documents,
    );
    const result = adapter.validate({
      caption: effectiveCaption,
      postType: media ? postTypeOf(media) : post.postType,
      media: media ?? post.media,
      ...(partMedia.some((items) => items !== undefined) && { partMedia: partMedia.map((items = []) => items) }),
      options: requestedOptions,
      account: { username: account.username, capabilities },
      settings,
      ...(target.published && { published: target.published }),
    });
    // Only the stored capabilities contain the permissions of the login.
    const rightsProblems = skipped
      ? []
      : optionScopeProblems(adapter, requestedOptions, account.capabilities, settings);
    const unknown = unknownOptions(adapter, requestedOptions);
    const ownProblems = [...result.problems, ...unknown.problems, ...rightsProblems];
    problems.push(...ownProblems.map((problem) => ({ ...accountRef, ...toRefusalDetail(target, post, problem) })));
    targets.push({
      ...accountRef,
      position: targets.length,
      username: account.username,
      caption: target.caption,
      effectiveCaption,
      options: result.options,
      requestedOptions,
      media: stored,
      skipped,
    });
    previews.push({
      ...accountRef,
      username: account.username,
      effectiveCaption,
      captionLength: result.captionLength,
      captionLimit: result.captionLimit,
      partLengths: result.partLengths,
      captionUnit: adapter.limits.caption.unit,
      limits: ownLimits(adapter, capabilities, settings),
      platformOptions: result.options,
      mediaItems: stored,
      placement: result.placement,
      warnings: [...result.warnings, ...unknown.warnings, ...accountWarnings(target)],
      cost: result.cost,
      creator: result.creator ?? null,
    });
  }
  return { targets, previews, problems };
}

/**
 * The caption of a target: its own, or the one in its options, or the post's. The adapter reports one that is not a
 * text.
 */
function requestedCaptionOf(target: Pick<ResolvedTarget, "caption" | "requestedOptions">, postCaption: string): string {
  const inOptions = target.requestedOptions["caption"];
  return target.caption ?? (typeof inOptions === "string" ? inOptions : postCaption);
}

/** Finds the problems that do not depend on media. Used before files are fetched, and if media cannot be used. */
export function problemsWithAnyMedia(
  services: Pick<Services, "adapterFor" | "config">,
  post: Omit<RequestedPost, "media" | "lists" | "documents" | "postType">,
  guesses: readonly MediaByPlace[],
): RefusalDetail[] {
  const [first = [], ...others] = guesses.map((lists) => {
    const media = lists.get(POST_MEDIA) ?? [];
    const guessed = { ...post, media, lists, documents: new Map(), postType: postTypeOf(media) };
    return validateTargets(services, guessed).problems.filter(isKnownBeforeMedia);
  });
  const key = ({ code, param, accountId }: RefusalDetail) => JSON.stringify([code, param, accountId]);
  return first.filter((problem) => others.every((problems) => problems.some((other) => key(other) === key(problem))));
}

/** Whether a problem can be found before media are read. Until then only their number is known. */
function isKnownBeforeMedia({ code, param }: RefusalDetail): boolean {
  return code === "media_too_many" || (!code.startsWith("media") && !param?.includes("media"));
}

function accountWarnings({ account, skipped }: ResolvedTarget): ValidationWarning[] {
  if (skipped) {
    const message = "this account is disconnected: nothing is posted there unless it is connected again in time";
    return [{ code: "account_disconnected", message }];
  }
  const warnings: ValidationWarning[] = [];
  if (account.status !== "active") {
    warnings.push({
      code: "account_needs_reconnect",
      message: account.statusReason ?? "this account must be connected again before the post is due",
    });
  }
  if (account.missingScopes.length > 0) {
    warnings.push({
      code: "missing_scope",
      message: `the login did not grant ${account.missingScopes.join(", ")}: publishing may be refused`,
    });
  }
  return warnings;
}

function toRefusalDetail(target: ResolvedTarget, post: RequestedPost, problem: ValidationProblem): RefusalDetail {
  const { code, message, parts, command, limit, actual } = problem;
  const remedy = command === undefined ? "" : `; make it fit with: ${command}`;
  return {
    code,
    message: `${message}${remedy}`,
    ...(parts && { parts: remedy === "" ? parts : [...parts, remedy] }),
    param: requestParam(target, post, problem.param),
    ...(limit !== undefined && { limit }),
    ...(actual !== undefined && { actual }),
  };
}

/** Maps a member name of the adapter to the member of the request. */
function requestParam(target: ResolvedTarget, post: RequestedPost, param: string): string {
  const targetParam = target.param?.includes("target") ? target.param : null;
  const { ownMedia } = target;
  const place = ownMedia === null ? POST_MEDIA : "at" in ownMedia ? ownMedia.at : null;
  const mediaParams = place === null ? [] : (post.mediaParams.get(place) ?? []);
  const unnamed = ownMedia === null ? param : `${place ?? "targets[]"}.${param}`;
  const media = /^media_items\[(\d+)\](.*)$/.exec(param);
  if (media) {
    const named = mediaParams[Number(media[1])];
    return named === undefined ? unnamed : `${named}${media[2] ?? ""}`;
  }
  if (param === "media_items") {
    return mediaParams[0]?.replace(/\[\d+\]$/, "") ?? unnamed;
  }
  if (param === "caption") {
    const inOptions = target.caption === null && typeof target.requestedOptions["caption"] === "string";
    const own = inOptions ? "platform_options.caption" : "caption";
    return targetParam !== null && (inOptions || target.caption !== null) ? `${targetParam}.${own}` : "caption";
  }
  return targetParam === null ? `targets[].${param}` : `${targetParam}.${param}`;
}
