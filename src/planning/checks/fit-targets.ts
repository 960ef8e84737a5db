import type { Context, Services } from "#context.ts";
import type { RefusalDetail } from "#core/errors.ts";
import type { StoredMediaItem } from "#db/schema.ts";
import { fitImages, unfitReason } from "#media/index.ts";
import { fitModeOf, type PlannedFit, planFits } from "#platforms/image-fitting.ts";
import { storedMedia } from "#planning/plan/post-plan.ts";
import { ownMediaOf, threadMediaOf } from "./media-lists.ts";
import type { MediaByPlace } from "./resolve-media.ts";
import type { ResolvedTarget } from "./resolve-targets.ts";
import type { MediaWithFacts } from "./validate-targets.ts";

/** An image that an account publishes as a copy. */
interface TargetFit {
  readonly accountId: string;
  /** The part of its thread that shows the image, from 0 for the first after the post itself; null for the post. */
  readonly part: number | null;
  /** Whether only this account names the image. */
  readonly isOwn: boolean;
  readonly index: number;
  readonly source: MediaWithFacts;
  readonly plan: PlannedFit;
}

/** What an account publishes where copies are needed. */
export interface CopiedMedia {
  /** With the copies in their places; absent where the post itself needs none. */
  readonly media?: readonly MediaWithFacts[];
  /** The same of the parts of its thread after the first that need one, by their places. */
  readonly parts: ReadonlyMap<number, readonly MediaWithFacts[]>;
}

/** What does not fit, and what it would be like afterwards. */
export interface TargetFits {
  readonly fits: readonly TargetFit[];
  /** The media of the accounts that need copies, as they will be; nothing is made yet. */
  readonly media: ReadonlyMap<string, CopiedMedia>;
  /** Why images of an account stay as they are although they do not fit. */
  readonly unavailable: ReadonlyMap<string, string>;
}

/** The media of accounts that publish copies, when they are made. */
export type MadeFits = Pick<TargetFits, "media" | "unavailable">;

/** A post with the accounts that publish it. */
export interface FittedPost {
  readonly media: readonly MediaWithFacts[];
  /** The media that the request names for single accounts, by place. */
  readonly lists: MediaByPlace;
  readonly resolvedTargets: readonly ResolvedTarget[];
}

const NOT_SET_UP = "this installation does not make images fit: its operator has not set it up";

/** Finds the images that a platform would refuse and a copy would cure. */
export function planTargetFits(services: Pick<Services, "adapterFor" | "images">, post: FittedPost): TargetFits {
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

/** The media of the post itself, and those of each part of a thread that has any. */
function publishedMedia(target: ResolvedTarget, { media, lists }: FittedPost) {
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

/** What a copy was made of. A file that no list of the post names goes with it: an edit fits it again. */
function fittedOf({ source, plan: { reason }, isOwn, part }: TargetFit): NonNullable<StoredMediaItem["fitted"]> {
  return {
    from: source.id,
    reason,
    ...(isOwn && { source: storedMedia({ ...source, own: true }) }),
    ...(part !== null && { source: storedMedia(source) }),
  };
}

/** The media of each account that needs a copy. */
function mediaWith(
  post: FittedPost,
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

/** Makes the copies of several posts together; an image of which none can be made stays as it is. */
export async function makeFits(
  ctx: Pick<Context, "actor" | "bucket" | "clock" | "config" | "db" | "ids" | "images">,
  posts: readonly (TargetFits & { readonly of: FittedPost })[],
): Promise<readonly MadeFits[]> {
  const { images } = ctx;
  const requests = posts.flatMap(({ fits }) => fits);
  if (requests.length === 0 || images === null) {
    return posts;
  }
  const made = await fitImages(
    { ...ctx, images },
    requests.map(({ source, plan: { width, height, mode, keepsAlpha, maxBytes } }) => ({
      source,
      recipe: { width, height, mode, keepsAlpha, maxBytes },
    })),
  );
  const outcomeOf = new Map(requests.map((fit, index) => [fit, made[index]]));
  return posts.map(({ of, fits, unavailable }) => ({
    media: mediaWith(of, fits, (fit) => {
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
  }));
}

/** Beside the refusal of an account's images: why they are not made to fit. */
export function withFitProblems(
  problems: readonly RefusalDetail[],
  { unavailable }: Pick<MadeFits, "unavailable">,
): readonly RefusalDetail[] {
  const refused = [...unavailable].flatMap(([accountId, message]): RefusalDetail[] => {
    const problem = problems.find((one) => one.accountId === accountId && one.code.startsWith("media_"));
    const { platform, param } = problem ?? {};
    return problem === undefined
      ? []
      : [{ code: "fit_unavailable", message, accountId, ...(platform && { platform }), ...(param && { param }) }];
  });
  return [...problems, ...refused];
}
