import type { Context } from "#context.ts";
import type { RefusalDetail } from "#core/errors.ts";
import { threadMediaOf } from "./media-lists.ts";
import type { FittedPost, MadeFits, makeFits as MakeFits, TargetFits } from "./fit-targets.ts";

/* Loaded with the first post that has media: most previews are of texts. */

const NO_FITS: TargetFits = { fits: [], media: new Map(), unavailable: new Map() };

/** What becomes of the images of posts that do not fit. */
export interface PostFits {
  /** For each post, as it will be; nothing is made yet. */
  readonly planned: readonly TargetFits[];
  /** Makes the copies. */
  make(): Promise<readonly MadeFits[]>;
  withProblems(problems: readonly RefusalDetail[], made: MadeFits): readonly RefusalDetail[];
}

function hasNoMedia({ media, lists, resolvedTargets }: FittedPost): boolean {
  return (
    media.length === 0 &&
    resolvedTargets.every(
      (target) => target.ownMedia === null && threadMediaOf(target, lists).every((items) => items === undefined),
    )
  );
}

export async function fitPosts(
  ctx: Pick<Context, "adapterFor" | "images"> & Parameters<typeof MakeFits>[0],
  posts: readonly FittedPost[],
): Promise<PostFits> {
  if (posts.every(hasNoMedia)) {
    const planned = posts.map(() => NO_FITS);
    return { planned, make: () => Promise.resolve(planned), withProblems: (problems) => problems };
  }
  const { planTargetFits, makeFits, withFitProblems } = await import("./fit-targets.ts");
  const planned = posts.map((of) => ({ ...planTargetFits(ctx, of), of }));
  return { planned, make: () => makeFits(ctx, planned), withProblems: withFitProblems };
}
