import { list } from "./list.ts";

export const PLATFORM_OPERATIONS = [list];
