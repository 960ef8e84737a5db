import { activate } from "./activate.ts";
import { create } from "./create.ts";
import { list } from "./list.ts";

/** This order is the order in the OpenAPI document. */
export const WORKSPACE_OPERATIONS = [list, create, activate];
