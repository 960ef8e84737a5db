import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { toIsoInstant } from "#core/clock.ts";
import * as schema from "#db/schema.ts";
import type { ExportedTable } from "#personal-data/tables.ts";

type Row = Readonly<Record<string, unknown>>;

/** Columns of posts and targets that are not the person's data: hashes and columns for the service's own work. */
export const POST_COLUMNS_WITHOUT = ["plan_hash", "confirm_hash", "run_id", "watch_at"];
export const TARGET_COLUMNS_WITHOUT = ["post_id", "requested_options"];
const ANNOTATION_COLUMNS_WITHOUT = ["workspace_id", "post_id", "scheduled_at"];

/**
 * Matches the names of columns with milliseconds since 1970. `start_after` is not one, because it contains an event's
 * number.
 */
const INSTANT = /(?:^at|_at|_until|_end|^end_announced)$/;

/** Text columns that contain JSON, although the schema does not say so. */
const JSON_TEXTS = new Set(["plan"]);

function jsonColumns(table: SQLiteTable): ReadonlySet<string> {
  const { columns } = getTableConfig(table);
  return new Set(columns.filter(({ dataType }) => dataType === "json").map(({ name }) => name));
}

/**
 * Makes a row readable for people: times as text, JSON as JSON, true and false. Columns that are not the person's data
 * are left out.
 */
function toReadable(row: Row, json: ReadonlySet<string>, without: readonly string[]): Row {
  return Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => !without.includes(name))
      .map(([name, value]) => [name, toReadableValue(name, value, json)]),
  );
}

function toReadableValue(name: string, value: unknown, json: ReadonlySet<string>): unknown {
  if (typeof value === "number" && INSTANT.test(name)) {
    return toIsoInstant(value);
  }
  return typeof value === "string" && (json.has(name) || (JSON_TEXTS.has(name) && value.startsWith("{")))
    ? (JSON.parse(value) as unknown)
    : value;
}

export function rowWriter({ table, without }: ExportedTable): (row: Row) => Row {
  const json = jsonColumns(table);
  return (row) => toReadable(row, json, without);
}

/** Writes a post with its targets and annotations inside it, whether it comes from the database or the archive. */
export function postWriter(): (post: {
  readonly post: Row;
  readonly targets: readonly Row[];
  readonly annotations?: Row;
}) => Row {
  const [postJson, targetJson] = [jsonColumns(schema.posts), jsonColumns(schema.postTargets)];
  const annotationJson = jsonColumns(schema.postAnnotations);
  return ({ post, targets, annotations }) => ({
    ...toReadable(post, postJson, POST_COLUMNS_WITHOUT),
    targets: targets.map((target) => toReadable(target, targetJson, TARGET_COLUMNS_WITHOUT)),
    ...(annotations && { annotations: toReadable(annotations, annotationJson, ANNOTATION_COLUMNS_WITHOUT) }),
  });
}

/** Writes rows as a JSON array, one row per line. Each page of rows is one chunk. */
export async function* toJsonArray(pages: AsyncIterable<readonly Row[]>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let isFirst = true;
  yield encoder.encode("[");
  for await (const page of pages) {
    if (page.length > 0) {
      yield encoder.encode((isFirst ? "\n" : ",\n") + page.map((row) => JSON.stringify(row)).join(",\n"));
      isFirst = false;
    }
  }
  yield encoder.encode("\n]\n");
}
