import { getSlots } from "./get-slots.ts";
import { nextSlots } from "./next-slots.ts";
import { setSlots } from "./set-slots.ts";
import { summary } from "./summary.ts";

export const SCHEDULE_OPERATIONS = [summary, getSlots, setSlots, nextSlots];
