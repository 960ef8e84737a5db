import { get } from "./get.ts";
import { list } from "./list.ts";

/** This order is the order in the OpenAPI document. */
export const EVENT_OPERATIONS = [list, get];
