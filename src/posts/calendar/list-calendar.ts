import { accountsStatement, readAccounts } from "#accounts/index.ts";
import type { Context } from "#context.ts";
import { type Platform, PLATFORMS } from "#core/platform.ts";
import { batch, type Entry, type Results } from "#db/batch.ts";
import type { Calendar, CalendarFilter, CalendarInput, CalendarPost } from "./types.ts";
import { calendarStatement, type CalendarRow, type CalendarTargetRow } from "./store-calendar.ts";
import { historyStatement, readHistory } from "#posts/summary/store-overview.ts";
import { overdueIds, rearmOverdue } from "#posts/rows/rearm-overdue.ts";
import { targetStatus } from "#posts/rows/target-status.ts";

/** How many posts of a month the calendar shows at most. */
export const CALENDAR_ROWS = 1000;

/** Statements for what a calendar shows in addition to posts, by name. */
type OtherStatements = Readonly<Record<string, Entry>>;

/**
 * Lists the posts of a time range and the connected accounts of the workspace, in one round trip with the statements in
 * `others`.
 */
export async function listCalendar<const Others extends OtherStatements = OtherStatements>(
  ctx: Pick<Context, "actor" | "clock" | "db" | "defer" | "rearm">,
  { from, until, ...filter }: CalendarInput,
  others?: Others,
): Promise<Calendar & { readonly others: Results<Others> }> {
  const { actor } = ctx;
  const db = ctx.db;
  const now = ctx.clock.now();
  const { posts, accounts, ...read } = await batch(db, {
    posts: calendarStatement(db, actor, { from, until, rows: CALENDAR_ROWS + 1 }, filter),
    accounts: accountsStatement(db, actor, { ids: [], platforms: PLATFORMS }),
    ...others,
  } as const);
  const rows = posts.results;
  const shown = rows.slice(0, CALENDAR_ROWS);
  rearmOverdue(ctx, overdueIds(shown, now));
  return {
    posts: shown.map((row) => toCalendarPost(row, now)),
    accounts: readAccounts(accounts.results),
    hasMore: rows.length > CALENDAR_ROWS,
    ...(rows.length === 0 ? await readAround(ctx, Math.max(until, now), filter) : { nextAt: null, history: null }),
    others: read as unknown as Results<Others>,
  };
}

async function readAround(
  { db, actor }: Pick<Context, "db" | "actor">,
  from: number,
  filter: CalendarFilter,
): Promise<Pick<Calendar, "nextAt" | "history">> {
  const range = { from, until: Number.MAX_SAFE_INTEGER, rows: 1 };
  const read = await batch(db, {
    next: calendarStatement(db, actor, range, filter),
    history: historyStatement(db, actor),
  });
  return { nextAt: read.next.results[0]?.scheduled_at ?? null, history: readHistory(read.history) };
}

export function toCalendarPost(row: CalendarRow, now: number): CalendarPost {
  const targets = (JSON.parse(row.targets) as CalendarTargetRow[]).toSorted((a, b) => a.position - b.position);
  return {
    id: row.id,
    status: row.status,
    // A publishing post has a paused reason only after a restore, while the service looks up its targets. Callers must
    // not see it.
    pausedReason: row.status === "publishing" ? null : row.paused_reason,
    scheduledAt: row.scheduled_at,
    caption: row.caption,
    postType: row.post_type,
    platforms: JSON.parse(row.platforms) as Platform[],
    createdVia: row.created_via,
    mediaCount: row.media_count || Math.max(0, ...targets.map(({ ownMediaCount }) => ownMediaCount ?? 0)),
    firstMedia: firstMediaOf(row, targets),
    targets: targets.map(({ accountId, platform, state, nextAttemptAt, verifyHistory }) => ({
      accountId,
      platform,
      status: targetStatus(state, { postStatus: row.status, nextAttemptAt, history: verifyHistory ?? [], now }),
    })),
  };
}

/** The first media item of a post. If the post has none, the first own media item of an account. */
function firstMediaOf(
  { media_type: type, media_url: url }: CalendarRow,
  targets: readonly CalendarTargetRow[],
): CalendarPost["firstMedia"] {
  if (type !== null && url !== null) {
    return { type, url };
  }
  const own = targets.map(({ firstOwnMedia }) => firstOwnMedia).find((item) => item !== null);
  return own ? { type: own.type, url: own.url } : null;
}
