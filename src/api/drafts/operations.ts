import { create } from "./create.ts";
import { remove } from "./delete.ts";
import { get } from "./get.ts";
import { list } from "./list.ts";
import { preview } from "./preview.ts";
import { update } from "./update.ts";

/** This order is the order in the OpenAPI document. */
export const DRAFT_OPERATIONS = [list, create, get, update, remove, preview];
