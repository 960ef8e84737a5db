import { wallTimeAt } from "#core/wall-time.ts";
import { listCalendar } from "#posts/index.ts";
import { displayOf } from "#dashboard/wording/display.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { renderPage, wantsFragment } from "#dashboard/layout/render-page.ts";
import { CalendarBody, CalendarPage } from "./calendar-page.tsx";
import { frameOf, modelOf } from "./model.ts";
import { readCalendarQuery } from "./query.ts";
import { contextOf } from "#dashboard/request/context-of.ts";

/** `GET /dashboard`: the calendar; only what changes while it is open for its script. */
export async function showCalendar(c: PageContext): Promise<Response> {
  const { services, signedIn } = c.var;
  const display = displayOf(c);
  const now = services.clock.now();
  const query = readCalendarQuery(new URL(c.req.url).searchParams, wallTimeAt(display.timeZone, now).date);
  const frame = frameOf(query, display);
  const [from, until] = [frame.days[0]?.start ?? now, frame.days.at(-1)?.end ?? now];
  const calendar = await listCalendar(contextOf(c), { from, until, ...query.filter });
  const model = modelOf(frame, calendar, { display, now, origin: services.config.origin });
  return wantsFragment(c)
    ? c.html(<CalendarBody model={model} />)
    : renderPage(c, <CalendarPage signedIn={signedIn} model={model} done={c.req.query("done")} />);
}
