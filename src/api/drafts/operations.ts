import { create } from "./create.ts";
import { remove } from "./delete.ts";
import { get } from "./get.ts";
import { list } from "./list.ts";
import { preview } from "./preview.ts";
import { update } from "./update.ts";

/** The OpenAPI document lists the operations in this order. */
export const DRAFT_OPERATIONS = [list, create, get, update, remove, preview];
