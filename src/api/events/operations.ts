import { get } from "./get.ts";
import { list } from "./list.ts";

/** In the order of the document. */
export const EVENT_OPERATIONS = [list, get];
