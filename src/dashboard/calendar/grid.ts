import { DAY, MINUTE } from "#core/clock.ts";
import { addDays, type CalendarDate, instantsOf, startOfDate, wallTimeAt } from "#core/wall-time.ts";

/** A date in the person's zone: `start` <= instant < `end`. */
export interface CalendarDay {
  readonly date: CalendarDate;
  readonly start: number;
  readonly end: number;
  /** How far the clock is moved on that day, in minutes: 60 where an hour is skipped, -60 where one is repeated. */
  readonly clockChange: number;
}

/** Consecutive days, the first one included. */
export function daysFrom(timeZone: string, first: CalendarDate, count: number): readonly CalendarDay[] {
  const dates = Array.from({ length: count + 1 }, (_, index) => addDays(first, index));
  const starts = dates.map((date) => startOfDate(timeZone, date));
  return dates.slice(0, count).map((date, index) => {
    const [start, end] = [starts[index] as number, starts[index + 1] as number];
    return { date, start, end, clockChange: (DAY - (end - start)) / MINUTE };
  });
}

/** A post with what the clock on the wall shows at its time. */
export interface PlacedPost<Post> {
  readonly post: Post;
  readonly date: CalendarDate;
  readonly minute: number;
  /** Whether the clock shows this time twice on that day, so that only the offset tells which one is meant. */
  readonly isRepeated: boolean;
}

/** The posts of each day, in their order. Asking for the zone is slow, and only days with a clock change need it. */
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

/** Whether an hour of that day does not exist: the clock is moved forward over all of it. */
export function isSkippedHour(timeZone: string, day: CalendarDay, hour: number): boolean {
  const times = [hour * 60, hour * 60 + 30];
  return day.clockChange > 0 && times.every((minute) => instantsOf(timeZone, { date: day.date, minute }).length === 0);
}
