import { activate } from "./activate.ts";
import { create } from "./create.ts";
import { list } from "./list.ts";

/** The OpenAPI document lists the operations in this order. */
export const WORKSPACE_OPERATIONS = [list, create, activate];
