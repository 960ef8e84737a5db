import { isPlatform } from "#core/platform.ts";
import { CREATED_VIA, POST_STATUSES } from "#core/status.ts";
import {
  addDays,
  addMonths,
  type CalendarDate,
  daysBetween,
  parseDate,
  startOfMonth,
  startOfWeek,
} from "#core/wall-time.ts";
import type { CalendarFilter } from "#posts/index.ts";
import { NOTE_KINDS, type Shown } from "./notes.ts";
import { type Display, formatDate } from "#dashboard/wording/display.ts";

export const VIEWS = ["month", "week", "list", "all"] as const;
export type View = (typeof VIEWS)[number];

/** The calendar's filter, with the kinds that are shown; undefined shows all kinds. */
export interface ShownFilter extends CalendarFilter {
  readonly shown?: Shown | undefined;
}

/** What the URL of the calendar selects. */
export interface CalendarQuery {
  readonly view: View;
  /** The view that the URL names. Null if it names none; a month is then a list on a phone. */
  readonly chosenView: View | null;
  readonly date: CalendarDate;
  readonly filter: ShownFilter;
  /** Whether posts have checkboxes. With `all`, every checkbox is ticked. */
  readonly select?: "some" | "all" | undefined;
  /** The page number of the view with all posts, counted from 1. */
  readonly page: number;
  /** The view with all posts shows only those before this time (ms). Null means no limit. */
  readonly before: number | null;
}

const LIST_DAYS = 28;
export const SEARCH_MAX = 100;
/** The highest page number in a URL. A search examines a limited number of posts, which fit into these pages. */
const MAX_PAGE = 100;
const SHOWN = ["posts", ...NOTE_KINDS] as const;
const [FIRST_DATE, LAST_DATE] = ["2000-01-01", "2199-12-31"] as const;

/** Reads the URL of the calendar. Invalid values are ignored, so that an old link still opens. */
export function readCalendarQuery(params: URLSearchParams, today: CalendarDate): CalendarQuery {
  const chosenView = VIEWS.find((view) => view === params.get("view")) ?? null;
  const date = parseDate(params.get("date") ?? "");
  const platform = params.get("platform") ?? "";
  const before = Date.parse(params.get("before") ?? "");
  return {
    view: chosenView ?? "month",
    chosenView,
    select: (["some", "all"] as const).find((select) => select === params.get("select")),
    date: date !== null && date >= FIRST_DATE && date <= LAST_DATE ? date : today,
    filter: {
      accountId: params.get("account") || undefined,
      platform: isPlatform(platform) ? platform : undefined,
      status: POST_STATUSES.find((status) => status === params.get("status")),
      createdVia: CREATED_VIA.find((via) => via === params.get("source")),
      label: params.get("label") || undefined,
      externalId: params.get("external_id") || undefined,
      shown: chosenView === "all" ? undefined : SHOWN.find((shown) => shown === params.get("status")),
      search: params.get("q")?.trim().slice(0, SEARCH_MAX) || undefined,
    },
    page: Math.min(MAX_PAGE, Math.max(1, Math.trunc(Number(params.get("page"))) || 1)),
    before: Number.isNaN(before) ? null : before,
  };
}

/** The URL of the calendar with some values replaced. Without a date, the calendar opens at today. */
export function calendarHref(
  { chosenView, date, filter, select: selects, before: end, page: shownPage }: CalendarQuery,
  changes: Partial<{
    view: View;
    date: CalendarDate | null;
    filter: ShownFilter;
    select: CalendarQuery["select"] | null;
    page: number;
    before: number;
  }> = {},
): string {
  const view = changes.view ?? chosenView;
  const shownDate = changes.date === undefined ? date : changes.date;
  const select = changes.select === undefined ? selects : changes.select;
  const params = new URLSearchParams({
    ...(view !== null && { view }),
    ...(view === "all" ? pageParams({ before: end, page: shownPage, ...changes }) : shownDate && { date: shownDate }),
    ...filterParams(changes.filter ?? filter),
    ...(select && { select }),
  });
  return `/dashboard?${params.toString()}`;
}

/** The URL parameters of the page. A new filter drops them, because it has other pages. */
function pageParams({ before, page, filter }: Pick<CalendarQuery, "before" | "page"> & { filter?: ShownFilter }) {
  return filter === undefined
    ? { ...(before !== null && { before: new Date(before).toISOString() }), ...(page > 1 && { page: String(page) }) }
    : {};
}

/** The URL parameters of a filter. */
export function filterParams(filter: ShownFilter): Record<string, string> {
  const { accountId, platform, status, shown, createdVia, label, externalId, search } = filter;
  return {
    ...(search !== undefined && { q: search }),
    ...(accountId !== undefined && { account: accountId }),
    ...(platform !== undefined && { platform }),
    ...((status ?? shown) !== undefined && { status: status ?? shown }),
    ...(createdVia !== undefined && { source: createdVia }),
    ...(label !== undefined && { label }),
    ...(externalId !== undefined && { external_id: externalId }),
  };
}

/** The days of a view, and the dates to which its links "previous" and "next" lead. */
export interface CalendarRange {
  readonly title: string;
  readonly first: CalendarDate;
  readonly days: number;
  readonly previous: CalendarDate;
  readonly next: CalendarDate;
}

/** The days that a view shows. Weeks are counted from dates and not by number, because a year has 52 or 53. */
export function rangeOf({ view, date }: CalendarQuery, { firstWeekday }: Pick<Display, "firstWeekday">): CalendarRange {
  if (view === "month") {
    const [month, next] = [startOfMonth(date), addMonths(date, 1)];
    const first = startOfWeek(month, firstWeekday);
    const days = Math.ceil(daysBetween(first, next) / 7) * 7;
    return { title: formatDate(month, "month"), first, days, previous: addMonths(date, -1), next };
  }
  // The view with all posts has no range: its days are those of the found posts.
  if (view === "all") {
    return { title: "All posts", first: date, days: 0, previous: date, next: date };
  }
  const days = view === "week" ? 7 : LIST_DAYS;
  const first = view === "week" ? startOfWeek(date, firstWeekday) : date;
  return {
    title: formatSpan(first, addDays(first, days - 1)),
    first,
    days,
    previous: addDays(first, -days),
    next: addDays(first, days),
  };
}

/** Writes a range of days, such as `7 – 13 December 2026` or `28 Dec 2026 – 3 Jan 2027`. */
function formatSpan(first: CalendarDate, last: CalendarDate): string {
  if (first.slice(0, 7) === last.slice(0, 7)) {
    return `${Number(first.slice(8))} – ${Number(last.slice(8))} ${formatDate(last, "month")}`;
  }
  const year = first.slice(0, 4) === last.slice(0, 4) ? "" : ` ${first.slice(0, 4)}`;
  return `${formatDate(first, "short")}${year} – ${formatDate(last, "short")} ${last.slice(0, 4)}`;
}
