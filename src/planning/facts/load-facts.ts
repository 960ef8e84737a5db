import { type AccountSelection, accountsStatement, readAccounts } from "#accounts/index.ts";
import { archivedAmong } from "#archive/index.ts";
import type { Context } from "#context.ts";
import { batch, type StatementResult } from "#db/batch.ts";
import { mediaStatement, parseMediaRows } from "#media/index.ts";
import type { PostRow } from "#posts/rows/store-post-rows.ts";
import { refuseProblems } from "#posts/rows/refuse.ts";
import { postsStatement, sortByIds } from "#posts/rows/store-posts-by-id.ts";
import { countHourlyUse } from "#quotas/index.ts";
import { nearbyQuery, rangesOf } from "./nearby-query.ts";
import { readScheduledPosts, scheduledPostsStatement } from "./store-scheduled-posts-quota.ts";
import {
  isTooLarge,
  mediaFactsStatement,
  postAccountsStatement,
  readMediaFacts,
  readPostAccounts,
  smallEnoughStatement,
} from "./store-edited-posts.ts";
import {
  nearbyPostsOfEditStatement,
  nearbyPostsOfManyStatement,
  nearbyPostsStatement,
  readNearbyPosts,
  type Rescheduling,
} from "./store-nearby-posts.ts";
import type { EditedPostFacts, Facts } from "./types.ts";

/** Which facts a request needs. */
interface NeededFacts {
  /** Which accounts the request selects. */
  readonly accounts: AccountSelection;
  readonly mediaIds: readonly string[];
  /** The times of new posts, or the new times of stored posts. */
  readonly times: readonly number[] | Rescheduling;
  /** The stored post that is being edited, so that it does not count as a nearby post. */
  readonly exceptPostId?: string | undefined;
  /** How many previews the request counts for the hourly limit. */
  readonly previews: number;
}

/** Reads all facts of a request in one round trip. */
export async function loadFacts(ctx: Context, needed: NeededFacts): Promise<Facts> {
  const { actor, db } = ctx;
  const { accounts: filter, mediaIds, times, previews } = needed;
  const edit = "postIds" in times ? times : null;
  const query = nearbyQuery(ctx);
  const use = previews > 0 ? countHourlyUse(ctx, [{ kind: "previews", count: previews }]) : null;
  const reading = batch(db, {
    smallEnough: edit && edit.postIds.length > FEW_POSTS ? smallEnoughStatement(db, actor, edit.postIds) : undefined,
    posts: edit ? postsStatement(db, actor, edit.postIds) : undefined,
    accounts: accountsStatement(db, actor, filter),
    postAccounts: edit ? postAccountsStatement(db, actor, edit.postIds) : undefined,
    mediaFacts: edit ? mediaFactsStatement(db, actor, edit.postIds) : undefined,
    media: mediaIds.length > 0 ? mediaStatement(db, actor, mediaIds) : undefined,
    nearbyPosts:
      "postIds" in times
        ? nearbyPostsOfStored(db, actor, filter, times, query)
        : nearbyPostsStatement(db, actor, filter, rangesOf(times, query), query),
    hourlyUse: use?.statements,
    scheduledPosts: edit ? undefined : scheduledPostsStatement(db, actor),
  });
  const read = await reading.catch((error: unknown) => {
    if (isTooLarge(error)) {
      refuseProblems([
        { code: "plan_too_large", message: "the texts of these posts are too long: select fewer at once" },
      ]);
    }
    throw error;
  });
  use?.check(read.hourlyUse);
  return {
    now: ctx.clock.now(),
    subscribed: actor.subscribed,
    accounts: readAccounts(read.accounts.results),
    files: parseMediaRows(read.media.results, ctx.config),
    nearbyPosts: readNearbyPosts(read.nearbyPosts.results, needed.exceptPostId),
    scheduledPosts: edit ? null : readScheduledPosts(read.scheduledPosts),
    edited: await editedPostFacts(ctx, edit?.postIds ?? [], read),
    capabilities: new Map(),
    fetched: new Map(),
  };
}

/**
 * Selects the posts near an edit's new times. Near a few known times it reads the nearest posts. For many, or if only
 * the rows tell the times, it reads whole ranges.
 */
function nearbyPostsOfStored(...[db, actor, filter, times, query]: Parameters<typeof nearbyPostsOfEditStatement>) {
  const { postIds, slackMs, staysAsItIs } = times;
  if (staysAsItIs) {
    return undefined;
  }
  return slackMs === 0 && postIds.length <= FEW_POSTS
    ? nearbyPostsOfEditStatement(db, actor, filter, times, query)
    : nearbyPostsOfManyStatement(db, actor, filter, times, query);
}

/** Up to this many posts, an edit reads the nearest posts of each. An edit through the API has no more. */
const FEW_POSTS = 20;

type Rows<Row = unknown> = Pick<StatementResult<Row>, "results">;

async function editedPostFacts(
  ctx: Context,
  postIds: readonly string[],
  {
    posts,
    postAccounts,
    mediaFacts,
  }: { readonly posts: Rows<PostRow>; readonly postAccounts: Rows; readonly mediaFacts: Rows },
): Promise<EditedPostFacts> {
  const rows = sortByIds(postIds, posts.results);
  const missing = postIds.filter((id) => rows.every((row) => row.id !== id));
  return {
    rows,
    archivedIds: await archivedAmong(ctx, missing),
    accounts: readPostAccounts(postAccounts.results),
    mediaFacts: readMediaFacts(mediaFacts.results),
  };
}
