import type { Context } from "#context.ts";
import type { FitsByCandidate, MadeFits, TargetFits } from "#planning/assess/fits.ts";
import { threadMediaOf } from "#planning/candidates/media-lists.ts";
import type { Candidate } from "#planning/candidates/types.ts";

/* Whether a post has media. The code that fits images is loaded only then, because most previews are of texts. */

function hasMedia({ media, lists, resolvedTargets }: Candidate): boolean {
  return (
    media.length > 0 ||
    resolvedTargets.some(
      (target) => target.ownMedia !== null || threadMediaOf(target, lists).some((items) => items !== undefined),
    )
  );
}

export async function planFits(
  ctx: Pick<Context, "adapterFor" | "images">,
  candidates: readonly Candidate[],
): Promise<FitsByCandidate<TargetFits>> {
  const withMedia = candidates.filter(hasMedia);
  if (withMedia.length === 0) {
    return new Map();
  }
  const { planTargetFits } = await import("./fit-targets.ts");
  return new Map(withMedia.map((candidate) => [candidate, planTargetFits(ctx, candidate)]));
}

export async function makeFits(
  ctx: Context,
  planned: FitsByCandidate<TargetFits>,
  candidates: readonly Candidate[],
): Promise<FitsByCandidate> {
  const { images } = ctx;
  const needed = new Map(
    candidates.flatMap((candidate) => {
      const fits = planned.get(candidate);
      return fits && fits.fits.length > 0 ? [[candidate, fits] as const] : [];
    }),
  );
  if (needed.size === 0 || images === null) {
    return planned;
  }
  const { makeTargetFits } = await import("./fit-targets.ts");
  return new Map<Candidate, MadeFits>([...planned, ...(await makeTargetFits({ ...ctx, images }, needed))]);
}
