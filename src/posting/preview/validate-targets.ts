import type { Services } from "#context.ts";
import type { Detail } from "#core/errors.ts";
import type { JsonObject } from "#core/json.ts";
import { type MediaType, POST_TYPES, type PostType } from "#core/status.ts";
import type { StoredMediaItem } from "#db/schema.ts";
import type { ValidationProblem, ValidationWarning } from "#platforms/contract.ts";
import type { Choice } from "./resolve-targets.ts";
import type { PlannedTarget } from "#posting/confirm/post-plan.ts";
import type { PreviewTarget } from "#posting/types.ts";

/** A media item as validation reads it, and where the caller named it. */
export interface JudgedMedia extends StoredMediaItem {
  readonly facts: JsonObject;
}

export interface Draft {
  readonly caption: string;
  readonly postType: PostType;
  readonly media: readonly JudgedMedia[];
  /** Where the caller named each media item. */
  readonly mediaParams: readonly string[];
  readonly choices: readonly Choice[];
  /** Capabilities fresher than the stored ones, by account. */
  readonly capabilities: ReadonlyMap<string, JsonObject>;
}

export interface Judgement {
  readonly targets: readonly PlannedTarget[];
  readonly previews: readonly PreviewTarget[];
  readonly problems: readonly Detail[];
}

/** Asks every chosen platform for everything it can know before publishing. */
export function judge(services: Pick<Services, "adapterFor" | "config">, draft: Draft): Judgement {
  const targets: PlannedTarget[] = [];
  const previews: PreviewTarget[] = [];
  const problems: Detail[] = [];
  for (const choice of draft.choices) {
    const { account, asked, resting } = choice;
    const adapter = services.adapterFor(account.platform);
    const about = { accountId: account.id, platform: account.platform };
    const app = services.config.app(account.platform);
    // A resting target is not published, so that what its platform lacks must not stop the others.
    if (!adapter || (app === null && !resting)) {
      const message = `publishing to ${account.platform} is not set up on this server`;
      problems.push({ ...about, code: "platform_not_configured", message, param: choice.param ?? "platforms" });
      continue;
    }
    const effectiveCaption = effectiveCaptionOf(choice, draft.caption);
    const verdict = adapter.validate({
      caption: effectiveCaption,
      postType: draft.postType,
      media: draft.media,
      options: asked,
      account: { username: account.username, capabilities: draft.capabilities.get(account.id) ?? account.capabilities },
      settings: app?.settings ?? {},
    });
    problems.push(...verdict.problems.map((problem) => ({ ...about, ...detailOf(choice, draft, problem) })));
    targets.push({
      ...about,
      username: account.username,
      caption: choice.caption,
      effectiveCaption,
      options: verdict.options,
      asked,
      resting,
    });
    previews.push({
      ...about,
      username: account.username,
      effectiveCaption,
      captionLength: verdict.captionLength,
      captionLimit: verdict.captionLimit,
      captionUnit: adapter.limits.caption.unit,
      platformOptions: verdict.options,
      placement: verdict.placement,
      warnings: [...verdict.warnings, ...accountWarnings(choice)],
      cost: verdict.cost,
    });
  }
  return { targets, previews, problems };
}

/** The target's own caption, else the one inside its options, else the post's; the adapter says when that one is no text. */
function effectiveCaptionOf(choice: Pick<Choice, "caption" | "asked">, postCaption: string): string {
  const inOptions = choice.asked["caption"];
  return choice.caption ?? (typeof inOptions === "string" ? inOptions : postCaption);
}

/** Text without media; otherwise a single video makes it a video post. */
export function postTypeOf(media: readonly { readonly type: MediaType }[]): PostType {
  if (media.length === 0) {
    return "text";
  }
  return media.some((item) => item.type === "video") ? "video" : "image";
}

export function postTypeProblems(
  wanted: PostType | undefined,
  media: readonly { readonly type: MediaType }[],
): Detail[] {
  const actual = postTypeOf(media);
  return wanted === undefined || wanted === actual || !POST_TYPES.includes(wanted)
    ? []
    : [
        {
          code: "post_type_mismatch",
          message: `with this media it is a post of type ${actual}`,
          param: "post_type",
          limit: actual,
          actual: wanted,
        },
      ];
}

function accountWarnings({ account, resting }: Choice): ValidationWarning[] {
  if (resting) {
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
      code: "missing_scopes",
      message: `the login did not grant ${account.missingScopes.join(", ")}: publishing may be refused`,
    });
  }
  return warnings;
}

function detailOf(choice: Choice, draft: Draft, problem: ValidationProblem): Detail {
  const { code, message, limit, actual } = problem;
  return {
    code,
    message,
    param: paramOf(choice, draft, problem.param),
    ...(limit !== undefined && { limit }),
    ...(actual !== undefined && { actual }),
  };
}

/** From what an adapter calls it to where the caller wrote it. */
function paramOf(choice: Choice, draft: Draft, param: string): string {
  const ofTarget = choice.param?.includes("target") ? choice.param : null;
  const media = /^media_items\[(\d+)\](.*)$/.exec(param);
  if (media) {
    const named = draft.mediaParams[Number(media[1])];
    return named === undefined ? param : `${named}${media[2] ?? ""}`;
  }
  if (param === "media_items") {
    return draft.mediaParams[0]?.replace(/\[.*$/, "") ?? param;
  }
  if (param === "caption") {
    const inOptions = choice.caption === null && typeof choice.asked["caption"] === "string";
    const own = inOptions ? "platform_options.caption" : "caption";
    return ofTarget !== null && (inOptions || choice.caption !== null) ? `${ofTarget}.${own}` : "caption";
  }
  return ofTarget === null ? `targets[].${param}` : `${ofTarget}.${param}`;
}
