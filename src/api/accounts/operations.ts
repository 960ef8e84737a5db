import { boards } from "./boards.ts";
import { connect } from "./connect.ts";
import { disconnect } from "./disconnect.ts";
import { list } from "./list.ts";
import { sync } from "./sync.ts";

/**
 * The OpenAPI document lists the operations in this order. A literal path must come before a path with a parameter that would
 * match it too.
 */
export const ACCOUNT_OPERATIONS = [list, connect, disconnect, sync, ...boards];
