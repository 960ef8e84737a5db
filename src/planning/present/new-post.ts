import type { AssessedSet } from "#planning/assess/assess.ts";
import type { NewPostSet } from "#planning/candidates/new-posts.ts";
import { type PostInsert, storedMedia, withPlanHash } from "#planning/plan/post-plan.ts";
import type { PlannedTime, SchedulePreview } from "#planning/plan/types.ts";
import { hasAnnotations, NO_ANNOTATIONS } from "#posts/rows/store-annotation-rows.ts";

/** A new post as the confirm writes it, and as its preview shows it. */
export interface PlannedPost {
  /** The position in a bulk request, counted from 1. */
  readonly row: number;
  /** The time (ms) of the post's free slot. Null if the post asks for no slot. */
  readonly slotAt: number | null;
  readonly post: PostInsert<PlannedTime>;
  readonly preview: SchedulePreview;
}

/** Plans what the confirm writes for a new post without problems, under the given id. */
export async function planNewPost(good: AssessedSet<NewPostSet> | undefined, id: string): Promise<PlannedPost> {
  const [assessed] = good?.posts ?? [];
  const { row = 1, input } = good?.set.post ?? { input: null };
  if (!assessed || !input || input.scheduledAt === null) {
    throw new Error("a post with problems cannot be planned");
  }
  const { candidate, postType, targets, previews } = assessed;
  const { scheduledAt, annotations = NO_ANNOTATIONS } = input;
  const post = await withPlanHash({
    id,
    scheduledAt,
    caption: candidate.caption,
    postType,
    media: candidate.media.map(storedMedia),
    targets,
    ...(hasAnnotations(annotations) && { annotations }),
  });
  const { caption, media: mediaItems, planHash } = post;
  return {
    row,
    slotAt: input.slot === undefined || scheduledAt === "now" ? null : scheduledAt,
    post,
    preview: {
      action: "schedule",
      scheduledAt,
      postType,
      caption,
      targets: previews,
      mediaItems,
      annotations,
      warnings: candidate.warnings,
      planHash,
    },
  };
}
