import { get } from "./get.ts";
import { list } from "./list.ts";
import { withdraw } from "./withdraw.ts";

/** In the order of the document. */
export const APPROVAL_OPERATIONS = [list, get, withdraw];
