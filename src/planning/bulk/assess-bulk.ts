import { accountsStatement, readAccounts, type TargetAccount } from "#accounts/index.ts";
import type { Context } from "#context.ts";
import { HOUR } from "#core/clock.ts";
import type { RefusalDetail } from "#core/errors.ts";
import type { JsonObject } from "#core/json.ts";
import type { PostType } from "#core/status.ts";

import { mediaStatement } from "#media/index.ts";
import type { ValidationWarning } from "#platforms/contract.ts";
import { assessSchedule, emptyCaptionProblems, scheduleTextProblems } from "#planning/checks/assess-schedule.ts";
import { fitPosts } from "#planning/checks/defer-fits.ts";
import { nearbyQuery } from "#planning/checks/duplicate-text.ts";
import type { FittedPost, MadeFits } from "#planning/checks/fit-targets.ts";
import { mediaListsOf, POST_MEDIA } from "#planning/checks/media-lists.ts";
import { refreshCapabilities } from "#planning/checks/refresh-capabilities.ts";
import { lookUpMedia } from "#planning/checks/resolve-media.ts";
import { accountFilterOf, resolveTargets } from "#planning/checks/resolve-targets.ts";
import {
  comparedPart,
  type NearbyPosts,
  type NearbyQuery,
  readNearbyPosts,
  type TextAtTime,
} from "#planning/checks/store-nearby-posts.ts";
import type { MediaWithFacts, TargetValidation } from "#planning/checks/validate-targets.ts";
import { timeWarnings } from "#planning/checks/validate-schedule-time.ts";
import { scheduledPostsStatement } from "#planning/checks/scheduled-posts-quota.ts";
import type { PreviewTarget, ScheduleInput } from "#planning/plan/types.ts";
import { countHourlyUse } from "#quotas/index.ts";
import { nearbyPostsOfManyStatement, type TimeRange } from "./store-nearby-posts-of-many.ts";

/** One of many new posts, by the id that it will have. */
export interface NewPost {
  readonly id: string;
  readonly input: ScheduleInput;
}

/** What the checks of a preview say of one of many posts. */
export interface AssessedPost {
  readonly problems: readonly RefusalDetail[];
  /** The addresses of the files that keep it from being good, when nothing else does. */
  readonly fetchable: readonly string[];
  readonly postType: PostType;
  readonly validation: Pick<TargetValidation, "targets">;
  readonly targets: readonly PreviewTarget[];
  /** The media of the post itself. */
  readonly media: readonly MediaWithFacts[];
  readonly warnings: readonly ValidationWarning[];
  /** What its copies are made of. */
  readonly fitted: FittedPost;
  readonly needsCopies: boolean;
  /** The same with the copies that were made. */
  readonly withCopies: (made: MadeFits, withProblems: WithFitProblems) => AssessedPost;
}

type WithFitProblems = (problems: readonly RefusalDetail[], made: MadeFits) => readonly RefusalDetail[];

/** Of a file of another server that was not fetched, where nothing else keeps it from being fetched. */
const NOT_FETCHED: RefusalDetail = {
  code: "import_first",
  message: "media of other servers are imported before many posts are previewed",
};

export interface AssessedBulk {
  /** In the order of the input. */
  readonly posts: readonly AssessedPost[];
  readonly accounts: readonly TargetAccount[];
  /** The result of `scheduledPostsStatement`. */
  readonly scheduled: D1Result | undefined;
  readonly now: number;
}

interface BulkQuestions {
  /** Whether the posts count as previews. */
  readonly counts: boolean;
  readonly asksPlatforms: boolean;
  /** Why files of other servers could not be fetched, by their addresses. */
  readonly unfetched?: ReadonlyMap<string, RefusalDetail>;
}

/**
 * All that a preview of many posts finds out, with as many statements as for one. The posts see those before them: their times count
 * towards caps, and their texts are compared. Nothing is fetched from other servers.
 */
export async function assessBulk(
  ctx: Context,
  posts: readonly NewPost[],
  { counts, asksPlatforms, unfetched = new Map() }: BulkQuestions,
): Promise<AssessedBulk> {
  const db = ctx.db;
  const entries = posts.map((post) => {
    const textProblems = [...emptyCaptionProblems(post.input.caption), ...scheduleTextProblems(post.input)];
    return { post, textProblems, lookup: textProblems.length > 0 ? null : lookUpMedia(ctx, mediaListsOf(post.input)) };
  });
  const readable = entries.filter(({ lookup }) => lookup !== null).map(({ post }) => post.input);
  const filters = readable.map(accountFilterOf);
  const filter = {
    ids: distinct(filters.flatMap(({ ids }) => ids)),
    platforms: distinct(filters.flatMap(({ platforms }) => platforms)),
  };
  const mediaIds = distinct(entries.flatMap(({ lookup }) => lookup?.ids ?? []));
  const query = nearbyQuery(ctx);
  const ranges = rangesOf(
    readable.map(({ scheduledAt }) => scheduledAt),
    query,
  );
  const use = countHourlyUse(ctx, counts ? [{ kind: "previews", count: posts.length }] : []);
  const [accountRows, mediaRows, nearbyRows, scheduled, counted, currentUse] = await db.d1.batch([
    accountsStatement(db, ctx.actor, filter),
    mediaIds.length > 0 ? mediaStatement(ctx.db, ctx.actor, mediaIds) : db.d1.prepare("SELECT NULL WHERE 0"),
    nearbyPostsOfManyStatement(db, ctx.actor, filter, ranges, query),
    scheduledPostsStatement(db, ctx.actor),
    ...(counts ? use.statements : []),
  ]);
  use.check([counted, currentUse]);
  const accounts = readAccounts(accountRows?.results ?? []);
  const nearby = new GrowingNearbyPosts(readNearbyPosts(nearbyRows));
  const resolved = entries.map(({ post, textProblems, lookup }) => {
    const { ids, platforms } = accountFilterOf(post.input);
    const own = accounts.filter(({ id, platform }) => ids.includes(id) || platforms.includes(platform));
    const media = lookup?.check(mediaRows?.results ?? []) ?? null;
    const fitted = {
      media: media?.shown.get(POST_MEDIA) ?? [],
      lists: media?.shown ?? new Map<string, readonly MediaWithFacts[]>(),
    };
    const read = lookup && media ? { lookup, media, resolution: resolveTargets(post.input, own) } : null;
    return { post, textProblems, read, fitted: { ...fitted, resolvedTargets: read?.resolution.resolvedTargets ?? [] } };
  });
  const targets = resolved.flatMap(({ fitted }) => fitted.resolvedTargets);
  const byAccount = new Map(targets.map((target) => [target.account.id, target]));
  const capabilities = asksPlatforms
    ? await refreshCapabilities(ctx, [...byAccount.values()])
    : new Map<string, JsonObject>();
  const fits = await fitPosts(
    ctx,
    resolved.map(({ fitted }) => fitted),
  );
  const now = ctx.clock.now();
  const assessed = resolved.map(({ post, textProblems, read, fitted }, index): AssessedPost => {
    if (read === null) {
      return unreadable(textProblems, fitted);
    }
    const { lookup, media, resolution } = read;
    const { scheduledAt } = post.input;
    const assessment = assessSchedule(ctx, post.input, {
      scheduledAt,
      resolution,
      capabilities,
      nearbyPosts: nearby.ofAccounts(resolution.resolvedTargets.map(({ account }) => account.id)),
      mediaLookup: lookup,
    });
    const assess = (made: MadeFits | undefined, withProblems?: WithFitProblems): AssessedPost => {
      const { problems, postType, validation, previews } = assessment.withMedia(
        media,
        media.shown,
        now,
        made?.media ?? new Map(),
      );
      const notFetched = lookup.addresses.flatMap(({ param, url }): RefusalDetail[] => {
        const reason = unfetched.get(url) ?? (problems.length === 0 ? NOT_FETCHED : null);
        return reason === null ? [] : [{ ...reason, param }];
      });
      const all = [...notFetched, ...problems];
      return {
        fetchable: problems.length === 0 ? lookup.addresses.map(({ url }) => url) : [],
        problems: made && withProblems ? withProblems(all, made) : all,
        postType,
        validation,
        targets: previews(),
        media: fitted.media,
        warnings: [...resolution.warnings, ...timeWarnings(scheduledAt, now, post.input)],
        fitted,
        needsCopies: (fits.planned[index]?.fits.length ?? 0) > 0,
        withCopies: assess,
      };
    };
    const result = assess(fits.planned[index], (problems, made) => fits.withProblems(problems, made));
    if (result.problems.length === 0) {
      nearby.add(post, result.targets);
    }
    return result;
  });
  return { posts: assessed, accounts, scheduled, now };
}

function distinct<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)];
}

function unreadable(problems: readonly RefusalDetail[], fitted: FittedPost): AssessedPost {
  const assessed: AssessedPost = {
    problems,
    fetchable: [],
    postType: "text",
    validation: { targets: [] },
    targets: [],
    media: [],
    warnings: [],
    fitted,
    needsCopies: false,
    withCopies: () => assessed,
  };
  return assessed;
}

/** Times whose windows meet are one range, so that no post is read twice. */
function rangesOf(times: readonly number[], { capWindows, textWindows }: NearbyQuery): TimeRange[] {
  const window = Math.max(HOUR, ...Object.values(capWindows), ...Object.values(textWindows));
  const ranges: { first: number; last: number }[] = [];
  for (const at of times.toSorted((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range && at - range.last < 2 * window) {
      range.last = at;
    } else {
      ranges.push({ first: at, last: at });
    }
  }
  return ranges;
}

/** The stored posts, and those of the request that were found good so far. */
class GrowingNearbyPosts {
  readonly #times: Map<string, readonly number[]>;
  readonly #texts: Map<string, readonly TextAtTime[]>;

  constructor({ times, texts }: NearbyPosts) {
    this.#times = new Map(times);
    this.#texts = new Map(texts);
  }

  /** As they are now: posts that are added later are not among them. */
  ofAccounts(accountIds: readonly string[]): NearbyPosts {
    return {
      times: new Map(accountIds.map((id) => [id, this.#times.get(id) ?? []])),
      texts: new Map(accountIds.map((id) => [id, this.#texts.get(id) ?? []])),
    };
  }

  add({ id, input }: NewPost, targets: readonly PreviewTarget[]): void {
    for (const { accountId, effectiveCaption } of targets) {
      const at = input.scheduledAt;
      this.#times.set(accountId, [...(this.#times.get(accountId) ?? []), at]);
      const text = { postId: id, at, text: comparedPart(effectiveCaption) };
      this.#texts.set(accountId, [...(this.#texts.get(accountId) ?? []), text]);
    }
  }
}
