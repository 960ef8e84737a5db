import { list } from "./list.ts";

export const LIMIT_OPERATIONS = [list];
