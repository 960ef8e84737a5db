import type { BulkRow, ScheduleInput } from "#planning/index.ts";

/** How many posts a request may have. */
export const BULK_POSTS_MAX = 100;

/** Reads one of many posts from the members of a preview; `withMore` adds what they cannot say. */
export type RowReader = (
  data: unknown,
  row: number,
  withMore?: (input: ScheduleInput) => ScheduleInput,
) => Promise<BulkRow>;
