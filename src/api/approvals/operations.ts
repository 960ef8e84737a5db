import { get } from "./get.ts";
import { list } from "./list.ts";
import { withdraw } from "./withdraw.ts";

/** This order is the order in the OpenAPI document. */
export const APPROVAL_OPERATIONS = [list, get, withdraw];
