import { get } from "./get.ts";
import { list } from "./list.ts";
import { withdraw } from "./withdraw.ts";

/** The OpenAPI document lists the operations in this order. */
export const APPROVAL_OPERATIONS = [list, get, withdraw];
