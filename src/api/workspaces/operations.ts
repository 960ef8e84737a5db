import { activate } from "./activate.ts";
import { create } from "./create.ts";
import { list } from "./list.ts";

/** In the order of the document. */
export const WORKSPACE_OPERATIONS = [list, create, activate];
