import { accountsStatement, readAccounts } from "#accounts/index.ts";
import type { Context } from "#context.ts";
import { PLATFORMS } from "#core/platform.ts";
import { batch } from "#db/batch.ts";
import { extentOf, searchPageStatements } from "#posts/list/store-search-pages.ts";
import { overdueIds, rearmOverdue } from "#posts/rows/rearm-overdue.ts";
import { MAX_INSTANT } from "#posts/summary/store-counted-posts.ts";
import { toCalendarPost } from "./list-calendar.ts";
import { CALENDAR_COLUMNS, type CalendarRow, filterConditions } from "./store-calendar.ts";
import type { AllPosts, AllPostsInput } from "./types.ts";

/**
 * Lists the posts of all times that a filter selects, newest first, in one round trip. It examines at most 5,000 posts.
 */
export async function listAllPosts(
  ctx: Pick<Context, "actor" | "clock" | "db" | "defer" | "rearm">,
  { filter, until, limit, offset }: AllPostsInput,
): Promise<AllPosts> {
  const { actor, db } = ctx;
  const now = ctx.clock.now();
  const segments = [{ status: filter.status ?? null, from: 0, until: until ?? MAX_INSTANT }];
  const request = { segments, order: "desc", columns: CALENDAR_COLUMNS, now, rows: limit + 1, offset } as const;
  const { pages, total, accounts } = await batch(db, {
    ...searchPageStatements(db, actor, request, filter, (params) => filterConditions(filter, params)),
    accounts: accountsStatement(db, actor, { ids: [], platforms: PLATFORMS }),
  });
  const rows = pages.flatMap(({ results }) => results as readonly CalendarRow[]);
  const shown = rows.slice(0, limit);
  rearmOverdue(ctx, overdueIds(shown, now));
  return {
    posts: shown.map((row) => toCalendarPost(row, now)),
    accounts: readAccounts(accounts.results),
    hasMore: rows.length > limit,
    total: total.results[0]?.total ?? 0,
    search: extentOf(total.results[0], "desc"),
  };
}
