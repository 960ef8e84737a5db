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

/** With what is shown beside the posts; undefined for all of it. */
export interface ShownFilter extends CalendarFilter {
  readonly shown?: Shown | undefined;
}

/** What the address of the calendar says. */
export interface CalendarQuery {
  readonly view: View;
  /** Null where the address does not say: a month then reads as a list on a phone. */
  readonly chosenView: View | null;
  readonly date: CalendarDate;
  readonly filter: ShownFilter;
  /** Whether the posts have checkboxes, and with `all` whether these are ticked. */
  readonly select?: "some" | "all" | undefined;
  /** The page of all posts, from 1. */
  readonly page: number;
  /** All posts are those before this time; null for those of all times. */
  readonly before: number | null;
}

const LIST_DAYS = 28;
export const SEARCH_MAX = 100;
/** Beyond the last page of the posts that are examined. */
const MAX_PAGE = 100;
const SHOWN = ["posts", ...NOTE_KINDS] as const;
const [FIRST_DATE, LAST_DATE] = ["2000-01-01", "2199-12-31"] as const;

/** Reads an address leniently: what it does not know is left out, so that an old link still opens. */
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

/** The address of the calendar with some of its values replaced; without a date it shows today. */
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

/** Another filter has other pages. */
function pageParams({ before, page, filter }: Pick<CalendarQuery, "before" | "page"> & { filter?: ShownFilter }) {
  return filter === undefined
    ? { ...(before !== null && { before: new Date(before).toISOString() }), ...(page > 1 && { page: String(page) }) }
    : {};
}

/** The filters by their names in the address. */
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

/** The days that a view shows, and where previous and next lead. */
export interface CalendarRange {
  readonly title: string;
  readonly first: CalendarDate;
  readonly days: number;
  readonly previous: CalendarDate;
  readonly next: CalendarDate;
}

/** Weeks are counted from dates and never by their numbers: a year has 52 or 53. */
export function rangeOf({ view, date }: CalendarQuery, { firstWeekday }: Pick<Display, "firstWeekday">): CalendarRange {
  if (view === "month") {
    const [month, next] = [startOfMonth(date), addMonths(date, 1)];
    const first = startOfWeek(month, firstWeekday);
    const days = Math.ceil(daysBetween(first, next) / 7) * 7;
    return { title: formatDate(month, "month"), first, days, previous: addMonths(date, -1), next };
  }
  // All posts have no frame: what a search finds are its days.
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

/** `7 – 13 December 2026`, `28 Dec 2026 – 3 Jan 2027`. */
function formatSpan(first: CalendarDate, last: CalendarDate): string {
  if (first.slice(0, 7) === last.slice(0, 7)) {
    return `${Number(first.slice(8))} – ${Number(last.slice(8))} ${formatDate(last, "month")}`;
  }
  const year = first.slice(0, 4) === last.slice(0, 4) ? "" : ` ${first.slice(0, 4)}`;
  return `${formatDate(first, "short")}${year} – ${formatDate(last, "short")} ${last.slice(0, 4)}`;
}
