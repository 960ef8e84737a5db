import { wallTimeAt } from "#core/wall-time.ts";
import { listAllPosts, listCalendar } from "#posts/index.ts";
import { displayOf } from "#dashboard/wording/display.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { renderPage, wantsFragment } from "#dashboard/layout/render-page.tsx";
import { CalendarBody, CalendarPage } from "./calendar-page.tsx";
import { type CalendarModel, frameAround, frameOf, modelOf } from "./model.ts";
import { noteStatements, readNotes } from "./notes.ts";
import { type CalendarQuery, readCalendarQuery } from "./query.ts";
import { contextOf } from "#dashboard/request/context-of.ts";

/** Handles `GET /dashboard`, the calendar. The calendar's script gets only the part that changes. */
export async function showCalendar(c: PageContext): Promise<Response> {
  const { services, signedIn } = c.var;
  const display = displayOf(c);
  const now = services.clock.now();
  const query = readCalendarQuery(new URL(c.req.url).searchParams, wallTimeAt(display.timeZone, now).date);
  const around = { display, now, origin: services.config.origin, offer: services.outbound.offerToBeginWith };
  const model = query.view === "all" ? await readAllPosts(c, query, around) : await readCalendar(c, query, around);
  return wantsFragment(c)
    ? c.html(<CalendarBody model={model} />)
    : renderPage(c, <CalendarPage signedIn={signedIn} model={model} done={c.req.query("done")} />);
}

const POSTS_PER_PAGE = 100;

type Around = Parameters<typeof modelOf>[2];

async function readCalendar(c: PageContext, query: CalendarQuery, around: Around): Promise<CalendarModel> {
  const frame = frameOf(query, around.display);
  const [from, until] = [frame.days[0]?.start ?? around.now, frame.days.at(-1)?.end ?? around.now];
  const { shown = null, ...filter } = query.filter;
  const ctx = contextOf(c);
  const notes = { from, until, now: around.now, filter, shown };
  const { others, ...calendar } = await listCalendar(ctx, { from, until, ...filter }, noteStatements(ctx, notes));
  return modelOf(frame, calendar, around, readNotes(others, calendar.accounts, notes));
}

async function readAllPosts(c: PageContext, query: CalendarQuery, around: Around): Promise<CalendarModel> {
  const { filter, before, page } = query;
  const range = { until: before, limit: POSTS_PER_PAGE, offset: (page - 1) * POSTS_PER_PAGE };
  const found = await listAllPosts(contextOf(c), { filter, ...range });
  return modelOf(frameAround(frameOf(query, around.display), found.posts, around.display), found, around);
}
