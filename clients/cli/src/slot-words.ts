import type { ScheduleSlot } from "@almanac/client";
import { CommandError } from "./exit-codes.ts";

export const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;
const EVERY_DAY = WEEKDAYS.map((_, weekday) => weekday);
const WORKING_DAYS = [0, 1, 2, 3, 4];

/** The days of words like `mon`, `Mondays`, `daily` or `weekdays`; none for another word. */
function daysOf(word: string): readonly number[] {
  const name = word.toLowerCase().replace(/s$/, "");
  if (name === "daily") {
    return EVERY_DAY;
  }
  if (name === "weekday") {
    return WORKING_DAYS;
  }
  return name.length < 3 ? [] : EVERY_DAY.filter((day) => WEEKDAYS[day]?.toLowerCase().startsWith(name));
}

/** The slots of words like `mon,thu 9:30`. */
export function parseSlots(text: string): readonly ScheduleSlot[] {
  const [, names = "", hour = "", minute = ""] = /^([a-z, ]+?)\s+(\d{1,2}):(\d{2})$/i.exec(text.trim()) ?? [];
  const days = names.split(",").map((name) => daysOf(name.trim()));
  const isTime = hour !== "" && Number(hour) < 24 && Number(minute) < 60;
  if (!isTime || days.some((found) => found.length === 0)) {
    throw new CommandError(
      "usage",
      "unclear_slot",
      `"${text}" is no slot: write for example "mon 9:30", "tue,thu 18:00", "weekdays 12:00" or "daily 9:00"`,
    );
  }
  return days.flat().map((weekday) => ({ weekday, time: `${hour.padStart(2, "0")}:${minute}` }));
}
