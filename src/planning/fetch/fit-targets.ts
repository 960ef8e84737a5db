import type { Services } from "#context.ts";
import type { StoredMediaItem } from "#db/schema.ts";
import { fitImages, unfitReason } from "#media/index.ts";
import { fitModeOf, planFits } from "#platforms/image-fitting.ts";
import type { MadeFits, TargetFit, TargetFits } from "#planning/assess/fits.ts";
import { ownMediaOf, threadMediaOf } from "#planning/candidates/media-lists.ts";
import type { Candidate, ResolvedTarget } from "#planning/candidates/types.ts";
import type { MediaWithFacts } from "#planning/facts/types.ts";
import { storedMedia } from "#planning/plan/post-plan.ts";

const NOT_SET_UP = "this installation does not make images fit: its operator has not set it up";

/** Finds images that a platform would refuse, but whose changed copy it would accept. */
export function planTargetFits(services: Pick<Services, "adapterFor" | "images">, post: Candidate): TargetFits {
  const fits: TargetFit[] = [];
  const unavailable = new Map<string, string>();
  for (const target of post.resolvedTargets) {
    const { account, requestedOptions } = target;
    const adapter = services.adapterFor(account.platform);
    const fitting = adapter?.fittingFor?.(requestedOptions) ?? adapter?.fitting;
    if (!fitting) {
      continue;
    }
    for (const { part, media } of publishedMedia(target, post)) {
      for (const [index, plan] of planFits(media, fitting, fitModeOf(requestedOptions)).entries()) {
        const source = media[index];
        if (plan === null || source === undefined) {
          continue;
        }
        const reason = services.images === null ? NOT_SET_UP : unfitReason(source);
        if (reason === null) {
          const isOwn = part === null && target.ownMedia !== null;
          fits.push({ accountId: account.id, part, isOwn, index, source, plan });
        } else {
          unavailable.set(account.id, reason);
        }
      }
    }
  }
  return { fits, unavailable, media: mediaWith(post, fits, asPlanned) };
}

/** The media of the post itself, and those of each thread part that has some. */
function publishedMedia(target: ResolvedTarget, { media, lists }: Candidate) {
  const ofParts = threadMediaOf(target, lists).flatMap((items, part) => (items ? [{ part, media: items }] : []));
  return [{ part: null, media: ownMediaOf(target, lists) ?? media }, ...ofParts];
}

function asPlanned(fit: TargetFit): MediaWithFacts {
  const { source, plan } = fit;
  const { width, height, maxBytes } = plan;
  return {
    ...source,
    contentType: "image/jpeg",
    width,
    height,
    sizeBytes: Math.min(source.sizeBytes, maxBytes),
    facts: {},
    ...(fit.part !== null && { fitted: fittedOf(fit) }),
  };
}

/**
 * Records from what a copy was made. If only this account uses the original, the copy keeps it, so that an edit can
 * make another copy.
 */
function fittedOf({ source, plan: { reason }, isOwn, part }: TargetFit): NonNullable<StoredMediaItem["fitted"]> {
  return {
    from: source.id,
    reason,
    ...(isOwn && { source: storedMedia({ ...source, own: true }) }),
    ...(part !== null && { source: storedMedia(source) }),
  };
}

/** Puts copies in the positions of their originals, for each account that needs some. */
function mediaWith(
  post: Candidate,
  fits: readonly TargetFit[],
  copyOf: (fit: TargetFit) => MediaWithFacts | null,
): TargetFits["media"] {
  const copies = fits.flatMap((fit) => {
    const copy = copyOf(fit);
    return copy === null ? [] : [{ fit, copy }];
  });
  return new Map(
    post.resolvedTargets.flatMap((target) => {
      const ofTarget = copies.filter(({ fit }) => fit.accountId === target.account.id);
      const lists = publishedMedia(target, post).flatMap(({ part, media }) => {
        const ofList = ofTarget.filter(({ fit }) => fit.part === part);
        const withCopies = media.map((item, index) => ofList.find(({ fit }) => fit.index === index)?.copy ?? item);
        return ofList.length === 0 ? [] : [{ part, media: withCopies }];
      });
      const ofPost = lists.find(({ part }) => part === null);
      const parts = new Map(lists.flatMap(({ part, media }) => (part === null ? [] : [[part, media] as const])));
      return lists.length === 0
        ? []
        : [[target.account.id, { ...(ofPost && { media: ofPost.media }), parts }] as const];
    }),
  );
}

/** Makes the copies of several posts together. An image of which no copy can be made stays unchanged. */
export async function makeTargetFits(
  ctx: Parameters<typeof fitImages>[0],
  posts: ReadonlyMap<Candidate, TargetFits>,
): Promise<ReadonlyMap<Candidate, MadeFits>> {
  const planned = [...posts.values()].flatMap(({ fits }) => fits);
  const made = await fitImages(
    ctx,
    planned.map(({ source, plan: { width, height, mode, keepsAlpha, maxBytes } }) => ({
      source,
      recipe: { width, height, mode, keepsAlpha, maxBytes },
    })),
  );
  const outcomeOf = new Map(planned.map((fit, index) => [fit, made[index]]));
  return new Map(
    [...posts].map(([post, { fits, unavailable }]) => [
      post,
      {
        media: mediaWith(post, fits, (fit) => {
          const outcome = outcomeOf.get(fit);
          const { altText } = fit.source;
          return outcome?.ok === true
            ? {
                ...outcome.media,
                ...(altText !== undefined && { altText }),
                fitted: fittedOf(fit),
              }
            : null;
        }),
        unavailable: new Map([
          ...unavailable,
          ...fits.flatMap((fit) => {
            const outcome = outcomeOf.get(fit);
            return outcome?.ok === false ? [[fit.accountId, outcome.message] as const] : [];
          }),
        ]),
      },
    ]),
  );
}
