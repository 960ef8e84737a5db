import type { JsonValue } from "#core/json.ts";
import type { BulkRow } from "#planning/index.ts";
import type { RowReader } from "#wire/csv/row-reader.ts";
import { PreviewScheduleBody, toScheduleInput } from "./schedule-body.ts";
import { toRefusal } from "#wire/validation-refusal.ts";

/** Reads one post of a bulk request like the body of a preview. An invalid post becomes a row with problems. */
export const readRow: RowReader = async (data, row, withMore = (input) => input): Promise<BulkRow> => {
  const read = await PreviewScheduleBody.safeParseAsync(data);
  return read.success
    ? { row, input: withMore(toScheduleInput(read.data, data as JsonValue)), problems: [] }
    : { row, input: null, problems: toRefusal({ target: "json", data, error: read.error }).details ?? [] };
};
