import type { BulkRow, ScheduleInput } from "#planning/index.ts";

export const BULK_POSTS_MAX = 100;

/**
 * Reads one post of a bulk request from the members of a preview. `withMore` adds what those members cannot express.
 */
export type RowReader = (
  data: unknown,
  row: number,
  withMore?: (input: ScheduleInput) => ScheduleInput,
) => Promise<BulkRow>;
