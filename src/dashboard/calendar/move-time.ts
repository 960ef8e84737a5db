import { instantOf, instantsOf, parseDate, parseTimeOfDay, type WallTime } from "#core/wall-time.ts";
import { type Display, formatDate, formatTime, formatTimeOfDay } from "#dashboard/wording/display.ts";

/** The fields of the form that moves a post. */
export interface MoveFields {
  readonly date: string;
  readonly time: string;
  /** `earlier` or `later`, if the clock shows the time twice that day; otherwise empty. */
  readonly fold: string;
  /** `next` for the first free slot from that time on; otherwise empty. */
  readonly slot: string;
}

export type MoveTime =
  | { readonly kind: "instant"; readonly instant: number; readonly wall: WallTime }
  | { readonly kind: "repeated"; readonly instants: readonly number[]; readonly message: string }
  | { readonly kind: "invalid"; readonly message: string };

/** Finds the instant of a date and time on a clock in the person's zone. */
export function readMoveTime(display: Display, { date: dateText, time, fold }: Omit<MoveFields, "slot">): MoveTime {
  const [date, minute] = [parseDate(dateText), parseTimeOfDay(time)];
  if (date === null) {
    return { kind: "invalid", message: "Choose a date." };
  }
  if (minute === null) {
    return { kind: "invalid", message: "Choose a time." };
  }
  const wall = { date, minute };
  const instants = instantsOf(display.timeZone, wall);
  const [first, second] = instants;
  const words = `${formatTimeOfDay(display, minute)} on ${formatDate(date, "medium")}`;
  if (first === undefined) {
    const later = formatTime(display, instantOf(display.timeZone, wall));
    return {
      kind: "invalid",
      message: `${words} does not exist: the clock is moved forward over it. Choose another time, for example ${later}.`,
    };
  }
  if (second === undefined || fold === "earlier") {
    return { kind: "instant", instant: first, wall };
  }
  return fold === "later"
    ? { kind: "instant", instant: second, wall }
    : { kind: "repeated", instants, message: `The clock shows ${words} twice. Choose which of the two you mean.` };
}
