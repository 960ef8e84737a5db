import { get } from "./get.ts";
import { list } from "./list.ts";

/** The OpenAPI document lists the operations in this order. */
export const EVENT_OPERATIONS = [list, get];
