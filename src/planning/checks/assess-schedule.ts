import type { Context } from "#context.ts";
import type { RefusalDetail } from "#core/errors.ts";
import type { JsonObject } from "#core/json.ts";
import { type PostType, postTypeOf } from "#core/status.ts";
import type { PreviewTarget, ScheduleInput } from "#planning/plan/types.ts";
import { coverProblems } from "./cover-problems.ts";
import { dailyCapProblems } from "./daily-caps.ts";
import { withDuplicateTextWarnings } from "./duplicate-text.ts";
import type { CopiedMedia } from "./fit-targets.ts";
import { mediaListProblems, POST_MEDIA } from "./media-lists.ts";
import type { MediaByPlace, MediaLookup, MediaResolution } from "./resolve-media.ts";
import type { TargetResolution } from "./resolve-targets.ts";
import type { NearbyPosts } from "./store-nearby-posts.ts";
import { postTypeProblems, problemsWithAnyMedia, type TargetValidation, validateTargets } from "./validate-targets.ts";
import { targetTextProblems, textProblems } from "./validate-text-encoding.ts";
import { timeProblems } from "./validate-schedule-time.ts";

/** What was read for a new post. */
interface ScheduleFacts {
  /** Null while no time is chosen: what depends on it is not checked. */
  readonly scheduledAt: number | null;
  readonly resolution: TargetResolution;
  /** Capabilities that are newer than the stored ones, by account. */
  readonly capabilities: ReadonlyMap<string, JsonObject>;
  readonly nearbyPosts: NearbyPosts;
  readonly mediaLookup: Pick<MediaLookup, "params" | "guesses">;
}

interface ScheduleAssessment {
  /** What is wrong whatever the media turn out to be. */
  readonly problemsBeforeMedia: () => RefusalDetail[];
  /** Everything that is wrong, and every target as it would be published; `shown` are the media of the targets. */
  readonly withMedia: (
    media: MediaResolution,
    shown: MediaByPlace,
    now: number,
    mediaOfAccounts: ReadonlyMap<string, CopiedMedia>,
  ) => AssessedSchedule;
}

interface AssessedSchedule {
  readonly postType: PostType;
  readonly problems: readonly RefusalDetail[];
  readonly validation: TargetValidation;
  /** The targets with the warnings that depend on other posts. */
  readonly previews: () => readonly PreviewTarget[];
}

/** Problems of the texts themselves: nothing else can be checked before they are mended. */
export function scheduleTextProblems(
  input: Pick<ScheduleInput, "caption" | "mediaItems" | "targets">,
): RefusalDetail[] {
  return [
    ...textProblems("caption", input.caption),
    ...targetTextProblems("targets", input.targets),
    ...mediaListProblems(input),
  ];
}

export function emptyCaptionProblems(caption: string): RefusalDetail[] {
  return caption === ""
    ? [{ code: "caption_required", message: "the caption must not be empty", param: "caption" }]
    : [];
}

/** All that a preview and a check find out alike; nothing is read or written here. */
export function assessSchedule(
  ctx: Pick<Context, "adapterFor" | "config">,
  input: Pick<ScheduleInput, "caption" | "postType">,
  { scheduledAt, resolution, capabilities, nearbyPosts, mediaLookup }: ScheduleFacts,
): ScheduleAssessment {
  const { resolvedTargets } = resolution;
  const capProblems =
    scheduledAt === null ? [] : dailyCapProblems(ctx, resolvedTargets, nearbyPosts.times, scheduledAt, capabilities);
  const request = { caption: input.caption, mediaParams: mediaLookup.params, resolvedTargets, capabilities };
  const problemsBeforeMedia = () => [
    ...resolution.problems,
    ...problemsWithAnyMedia(ctx, request, mediaLookup.guesses),
    ...capProblems,
  ];
  return {
    problemsBeforeMedia,
    withMedia(media, lists, now, mediaOfAccounts) {
      const shown = lists.get(POST_MEDIA) ?? [];
      const postType = postTypeOf(shown);
      const validation = validateTargets(ctx, {
        ...request,
        postType,
        media: shown,
        lists,
        documents: media.documents,
        mediaOfAccounts,
      });
      const ofPost = () => [
        ...resolution.problems,
        ...postTypeProblems(input.postType, shown),
        ...coverProblems(lists, mediaLookup.params),
        ...validation.problems,
        ...capProblems,
      ];
      return {
        postType,
        validation,
        problems: [
          ...(scheduledAt === null ? [] : timeProblems(scheduledAt, now, "scheduled_at")),
          ...media.problems,
          ...(media.complete ? ofPost() : problemsBeforeMedia()),
        ],
        previews() {
          return scheduledAt === null
            ? validation.previews
            : withDuplicateTextWarnings(
                ctx,
                validation,
                (accountId) => nearbyPosts.texts.get(accountId) ?? [],
                scheduledAt,
              );
        },
      };
    },
  };
}
