import {
  instantsOf,
  neighboursOfSkipped,
  parseDate,
  parseTimeOfDay,
  toTimeOfDay,
  wallTimeAt,
  type WallTime,
} from "#core/wall-time.ts";
import { type Display, formatDate, formatTimeOfDay, formatZone } from "#dashboard/wording/display.ts";
import type { PostForm } from "./post-form.ts";
import type { FormProblem } from "./form-problems.ts";

export interface FormTime {
  /** The instant (ms). Null if the form has no valid time, or one that occurs twice without a choice. */
  readonly instant: number | null;
  /** The two instants of a time that occurs twice, the earlier first; otherwise empty. */
  readonly readings: readonly number[];
  readonly problems: readonly FormProblem[];
}

export type TimeFields = Pick<PostForm, "date" | "time" | "fold">;

/** Finds the instant of the form's day and time in the person's zone. */
export function readTime({ date: dateText, time: timeText, fold }: TimeFields, display: Display): FormTime {
  const date = parseDate(dateText);
  const minute = parseTimeOfDay(timeText);
  if (date === null || minute === null) {
    return unreadable([
      ...(date === null ? [dateProblem(dateText)] : []),
      ...(minute === null ? [timeProblem(timeText)] : []),
    ]);
  }
  const wall = { date, minute };
  const instants = instantsOf(display.timeZone, wall);
  const [first, second] = instants;
  if (first === undefined) {
    return unreadable([skippedProblem(wall, display)]);
  }
  if (second === undefined) {
    return { instant: first, readings: [], problems: [] };
  }
  if (fold === "earlier" || fold === "later") {
    return { instant: fold === "earlier" ? first : second, readings: instants, problems: [] };
  }
  return { instant: null, readings: instants, problems: [repeatedProblem(wall, display)] };
}

/** The form fields for an instant. `fold` is set only if the clock shows this time twice that day. */
export function timeFields(instant: number, timeZone: string): TimeFields {
  const wall = wallTimeAt(timeZone, instant);
  const instants = instantsOf(timeZone, wall);
  const isLater = instants.length > 1 && instant >= (instants[1] ?? Infinity);
  return {
    date: wall.date,
    time: toTimeOfDay(wall.minute),
    fold: instants.length > 1 ? (isLater ? "later" : "earlier") : "",
  };
}

function unreadable(problems: readonly FormProblem[]): FormTime {
  return { instant: null, readings: [], problems };
}

function dateProblem(text: string): FormProblem {
  return { field: "date", message: text === "" ? "Choose a day." : "Choose a day of the calendar, as 2026-12-24." };
}

function timeProblem(text: string): FormProblem {
  return { field: "time", message: text === "" ? "Choose a time." : "Choose a time of the clock, as 18:30." };
}

function skippedProblem(wall: WallTime, display: Display): FormProblem {
  const neighbours = neighboursOfSkipped(display.timeZone, wall);
  const clock = (time: WallTime | undefined) => (time ? formatTimeOfDay(display, time.minute) : "");
  return {
    field: "time",
    message:
      `There is no ${clock(wall)} on ${formatDate(wall.date, "long")} in ${zoneName(display)}: the clocks are moved forward. ` +
      `Choose ${clock(neighbours?.before)} or earlier, or ${clock(neighbours?.after)} or later.`,
  };
}

function repeatedProblem(wall: WallTime, display: Display): FormProblem {
  return {
    field: "fold",
    message:
      `${formatTimeOfDay(display, wall.minute)} occurs twice on ${formatDate(wall.date, "long")} in ${zoneName(display)}, ` +
      "because the clocks are moved back. Choose which one you mean.",
  };
}

function zoneName({ timeZone }: Display): string {
  return timeZone.replaceAll("_", " ");
}

/** Describes one instant of a repeated time: `The first one: 02:30, Europe/Berlin (UTC+02:00)`. */
export function describeReading(instant: number, index: number, display: Display): string {
  const clock = formatTimeOfDay(display, wallTimeAt(display.timeZone, instant).minute);
  return `The ${index === 0 ? "first" : "second"} one: ${clock}, ${formatZone(display.timeZone, instant)}`;
}
