import { DAY, MINUTE } from "#core/clock.ts";
import { addDays, type CalendarDate, instantsOf, startOfDate, wallTimeAt } from "#core/wall-time.ts";

/** A date in the person's time zone. An instant belongs to it if `start` <= instant < `end`. */
export interface CalendarDay {
  readonly date: CalendarDate;
  readonly start: number;
  readonly end: number;
  /** By how many minutes the clock changes on that day: 60 if an hour is skipped, -60 if an hour is repeated. */
  readonly clockChange: number;
}

/** The `count` days that begin with `first`. */
export function daysFrom(timeZone: string, first: CalendarDate, count: number): readonly CalendarDay[] {
  const dates = Array.from({ length: count + 1 }, (_, index) => addDays(first, index));
  const starts = dates.map((date) => startOfDate(timeZone, date));
  return dates.slice(0, count).map((date, index) => {
    const [start, end] = [starts[index] as number, starts[index + 1] as number];
    return { date, start, end, clockChange: (DAY - (end - start)) / MINUTE };
  });
}

/** A post, with the date and time that a clock on the wall shows when it is due. */
export interface PlacedPost<Post> {
  readonly post: Post;
  readonly date: CalendarDate;
  readonly minute: number;
  /** Whether the clock shows this time twice on that day. Only the UTC offset then tells which one is meant. */
  readonly isRepeated: boolean;
}

/**
 * Distributes posts to their days and keeps their order. Asking for the zone is slow, so it is done only for days with
 * a clock change.
 */
export function placePosts<Post extends { readonly scheduledAt: number }>(
  timeZone: string,
  days: readonly CalendarDay[],
  posts: readonly Post[],
): readonly (readonly PlacedPost<Post>[])[] {
  return days.map(({ date, start, end, clockChange }) =>
    posts
      .filter(({ scheduledAt }) => scheduledAt >= start && scheduledAt < end)
      .map((post) => {
        if (clockChange === 0) {
          return { post, date, minute: Math.floor((post.scheduledAt - start) / MINUTE), isRepeated: false };
        }
        const { minute } = wallTimeAt(timeZone, post.scheduledAt);
        return { post, date, minute, isRepeated: instantsOf(timeZone, { date, minute }).length > 1 };
      }),
  );
}

/** Whether a clock change skips the whole hour on that day, so that it does not exist. */
export function isSkippedHour(timeZone: string, day: CalendarDay, hour: number): boolean {
  const times = [hour * 60, hour * 60 + 30];
  return day.clockChange > 0 && times.every((minute) => instantsOf(timeZone, { date: day.date, minute }).length === 0);
}
