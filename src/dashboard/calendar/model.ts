import type { Child } from "hono/jsx";
import { MINUTE, SECOND } from "#core/clock.ts";
import { type CalendarDate, instantsOf, toTimeOfDay, wallTimeAt } from "#core/wall-time.ts";
import type { AllPosts, Calendar, CalendarPost } from "#posts/index.ts";
import type { Display } from "#dashboard/wording/display.ts";
import { type CalendarDay, daysFrom, type PlacedPost, placePosts } from "./grid.ts";
import type { CalendarNote } from "./notes.ts";
import { stateOf } from "#dashboard/wording/status-labels.ts";
import { type CalendarQuery, type CalendarRange, rangeOf } from "./query.ts";

export type Placed = PlacedPost<CalendarPost>;

export type PlacedNote = PlacedPost<CalendarNote>;

export interface CalendarEntry extends CalendarDay {
  readonly posts: readonly Placed[];
  readonly notes: readonly PlacedNote[];
  readonly isPast: boolean;
  readonly isToday: boolean;
  /** True for a day of the neighbouring month, which a month view shows only to complete a week. */
  readonly isOutside: boolean;
}

/** Everything that a view of the calendar shows. */
export interface CalendarModel {
  readonly query: CalendarQuery;
  readonly range: CalendarRange;
  readonly display: Display;
  readonly now: number;
  readonly today: CalendarDate;
  readonly days: readonly CalendarEntry[];
  readonly accounts: Calendar["accounts"];
  readonly hasMore: boolean;
  /** When (ms) the next post after the shown days is due. Set only if these days have no post. */
  readonly nextAt: Calendar["nextAt"];
  /** What the workspace has done so far. Null if the shown days have posts. */
  readonly history: Calendar["history"];
  /** How many posts match, and how many of them a search has examined. Null if the view has a time range. */
  readonly all: Pick<AllPosts, "total" | "search"> | null;
  /** The origin of stored media. Their URLs are written without it, to keep the page small. */
  readonly origin: string;
  /** What the service offers in a workspace without posts. */
  readonly offer: Child;
}

/** The days of a calendar view and their time range, which decide what posts to read. */
export interface CalendarFrame {
  readonly query: CalendarQuery;
  readonly range: CalendarRange;
  readonly days: readonly CalendarDay[];
}

export function frameOf(query: CalendarQuery, display: Display): CalendarFrame {
  const range = rangeOf(query, display);
  return { query, range, days: daysFrom(display.timeZone, range.first, range.days) };
}

/** Builds the days of the view with all posts: one for each date with a post, the latest first. */
export function frameAround(
  frame: CalendarFrame,
  posts: readonly CalendarPost[],
  { timeZone }: Display,
): CalendarFrame {
  const dates = new Set(posts.map(({ scheduledAt }) => wallTimeAt(timeZone, scheduledAt).date));
  return { ...frame, days: [...dates].flatMap((date) => daysFrom(timeZone, date, 1)) };
}

export function modelOf(
  { query, range, days }: CalendarFrame,
  calendar: Omit<Calendar, "nextAt" | "history"> &
    Partial<Pick<Calendar, "nextAt" | "history"> & Pick<AllPosts, "total" | "search">>,
  { display, now, origin, offer }: Pick<CalendarModel, "display" | "now" | "origin" | "offer">,
  notes: readonly CalendarNote[] = [],
): CalendarModel {
  const { date: today } = wallTimeAt(display.timeZone, now);
  const { shown } = query.filter;
  const isOnlyNotes = shown !== undefined && shown !== "posts";
  const placed = placePosts(display.timeZone, days, isOnlyNotes ? [] : calendar.posts);
  const noted = placePosts(display.timeZone, days, notes);
  return {
    query,
    range,
    display,
    now,
    today,
    origin,
    accounts: calendar.accounts,
    hasMore: calendar.hasMore,
    nextAt: calendar.nextAt ?? null,
    history: calendar.history ?? null,
    offer,
    all: calendar.search === undefined ? null : { total: calendar.total ?? 0, search: calendar.search },
    days: days.map((day, index) => ({
      ...day,
      posts: placed[index] ?? [],
      notes: noted[index] ?? [],
      isPast: day.date < today,
      isToday: day.date === today,
      isOutside: query.view === "month" && day.date.slice(0, 7) !== query.date.slice(0, 7),
    })),
  };
}

/** Whether a person has to look at the post, because something failed or is paused. */
export function hasTrouble({ post }: Placed): boolean {
  return stateOf(post).kind === "trouble";
}

const MORNING = 9 * 60;
const HALF_HOUR = 30;
const MINUTES_PER_DAY = 1440;

/**
 * The suggested time of a new post on this day (minutes since midnight): nine o'clock, or the next half hour. Null once
 * the day is over.
 */
export function newPostMinute(model: CalendarModel, day: CalendarEntry): number | null {
  if (day.isPast) {
    return null;
  }
  if (!day.isToday) {
    return MORNING;
  }
  const next = Math.ceil((wallTimeAt(model.display.timeZone, model.now).minute + 1) / HALF_HOUR) * HALF_HOUR;
  return next < MINUTES_PER_DAY ? Math.max(next, MORNING) : null;
}

/** The first half hour of an hour slot that is still ahead. Null if the slot is past or a clock change skips it. */
export function slotMinute(model: CalendarModel, day: CalendarEntry, hour: number): number | null {
  const { timeZone } = model.display;
  const isAhead = (minute: number) =>
    (day.clockChange === 0
      ? day.start + minute * MINUTE
      : (instantsOf(timeZone, { date: day.date, minute }).at(-1) ?? 0)) > model.now;
  return [hour * 60, hour * 60 + HALF_HOUR].find(isAhead) ?? null;
}

export function newPostHref(date: CalendarDate, minute: number): string {
  return `/dashboard/posts/new?at=${date}T${toTimeOfDay(minute)}`;
}

const REFRESH_SECONDS = 4;
const SLOW_REFRESH_SECONDS = 60;
const STARTS_BEFORE_MS = 30 * SECOND;
const STAYS_FAST_MS = 10 * MINUTE;

/**
 * After how many seconds the page reloads its posts: soon if a post is publishing, otherwise shortly before the next
 * post is due.
 */
export function refreshSeconds(model: CalendarModel): number | null {
  // Do not reload while posts are selected: the new part of the page would lose the selection.
  if (model.query.select !== undefined) {
    return null;
  }
  const waits = model.days.flatMap(({ posts }) =>
    posts.flatMap(({ post }) => {
      const { kind } = stateOf(post);
      if (post.status !== "publishing" && kind !== "scheduled") {
        return [];
      }
      if (model.now - post.scheduledAt > STAYS_FAST_MS) {
        return [SLOW_REFRESH_SECONDS];
      }
      const untilDue = (post.scheduledAt - STARTS_BEFORE_MS - model.now) / SECOND;
      return [post.status === "publishing" ? REFRESH_SECONDS : Math.max(REFRESH_SECONDS, Math.ceil(untilDue))];
    }),
  );
  return waits.length === 0 ? null : Math.min(...waits);
}
