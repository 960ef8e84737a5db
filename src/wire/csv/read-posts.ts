import type { Context } from "#context.ts";
import { refuse, type RefusalDetail } from "#core/errors.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import { isPlatform, type Platform } from "#core/platform.ts";
import type { BulkRow, ScheduleInput } from "#planning/index.ts";
import { AltText } from "#wire/schemas/media.ts";
import { rulesOf } from "#wire/schemas/platform-rules.ts";
import { refusalOf } from "#wire/validation-refusal.ts";
import { splitAddresses, splitList, splitTexts } from "./lists.ts";
import { optionValue } from "./option-value.ts";
import { type ColumnTime, readColumnTimes } from "./column-times.ts";
import { type CsvLine, readTable } from "./read-table.ts";
import { BULK_POSTS_MAX, type RowReader } from "./row-reader.ts";

/** By column: converts a cell to a member of a preview's body. */
const MEMBERS: Readonly<Record<string, (cell: string) => JsonValue>> = {
  caption: (cell) => cell,
  scheduled_at: (cell) => cell.trim(),
  time_zone: (cell) => cell.trim(),
  slot: (cell) => cell.trim().toLowerCase(),
  platforms: (cell) => splitList(cell).map((name) => name.toLowerCase()),
  account_ids: splitList,
  media_urls: splitAddresses,
  labels: splitList,
  external_id: (cell) => cell.trim(),
};
const ALT_TEXTS = "alt_texts";
const ACCOUNTS = "accounts";
/** Columns that do not become members of the body. */
const BESIDE_BODY = new Set([ALT_TEXTS, ACCOUNTS]);
const REQUIRED = ["caption", "scheduled_at"];

/** A column with an option for all accounts of a platform, named `platform.option`. */
interface OptionColumn {
  readonly header: string;
  readonly platform: Platform;
  readonly key: string;
  readonly schema: JsonObject;
}

function optionOf(ctx: Pick<Context, "config">, header: string): OptionColumn | null {
  const [platform = "", key = "", ...rest] = header.split(".");
  if (!isPlatform(platform) || rest.length > 0) {
    return null;
  }
  const { properties } = rulesOf(ctx, platform).options as {
    readonly properties?: Readonly<Record<string, JsonObject>>;
  };
  const schema = properties && Object.hasOwn(properties, key) ? properties[key] : undefined;
  return schema ? { header, platform, key, schema } : null;
}

function headerProblem(header: string, message: string): RefusalDetail {
  return { code: "csv_header_invalid", message, ...(header !== "" && { param: header.slice(0, 100) }) };
}

const KNOWN = [...Object.keys(MEMBERS), ...BESIDE_BODY].join(", ");

/** How many problems are reported. A file that is no table can have a column for each of a million commas. */
const PROBLEMS_MAX = 100;

function headerProblems(headers: readonly string[], options: ReadonlyMap<string, OptionColumn>): RefusalDetail[] {
  const seen = new Set<string>();
  const doubled = new Set(headers.filter((name) => seen.size === seen.add(name).size));
  const unknown = [...seen].filter(
    (name) => !Object.hasOwn(MEMBERS, name) && !BESIDE_BODY.has(name) && !options.has(name),
  );
  return [
    ...REQUIRED.filter((name) => !seen.has(name)).map((name) =>
      headerProblem(name, `the first line must name the columns, and ${name} is not among them`),
    ),
    ...unknown.map((name) =>
      headerProblem(
        name,
        name === ""
          ? "a column has no name"
          : `there is no column ${JSON.stringify(name.slice(0, 100))}: the columns are ${KNOWN}, and platform.option for an option of a platform`,
      ),
    ),
    ...[...doubled].map((name) => headerProblem(name, `the column ${name.slice(0, 100)} is there more than once`)),
  ].slice(0, PROBLEMS_MAX);
}

/**
 * Reads the posts of a table. Refuses the table if a column is unknown, if quotation marks do not match, or if it has
 * no post or (without `fromRow`) too many. A problem in a single line belongs to its row.
 */
export async function readPosts(
  ctx: Pick<Context, "config">,
  text: string,
  readRow: RowReader,
  fromRow?: number,
): Promise<TablePart> {
  const { headers, lines } = readTable(text);
  const options = new Map<string, OptionColumn>();
  for (const header of headers) {
    const option = optionOf(ctx, header);
    if (option) {
      options.set(header, option);
    }
  }
  const problems = headerProblems(headers, options);
  if (problems.length > 0) {
    refuse(refusalOf(problems));
  }
  // After an unmatched quotation mark, nobody knows where the next row begins, so no single row can be skipped.
  const faults = lines.flatMap(({ fault }, index): RefusalDetail[] =>
    fault === null ? [] : [{ code: "csv_row_invalid", message: fault, row: index + 1 }],
  );
  if (faults.length > 0) {
    refuse(refusalOf(faults.slice(0, PROBLEMS_MAX)));
  }
  // Count empty lines, so that row numbers match the spreadsheet, whose first line is the header.
  const rows = lines
    .map((line, index) => ({ line, row: index + 1 }))
    .filter(({ line }) => line.cells.some((cell) => cell.trim() !== ""));
  const left = fromRow === undefined ? rows : rows.filter(({ row }) => row >= fromRow);
  if (left.length === 0 || (fromRow === undefined && left.length > BULK_POSTS_MAX)) {
    refuse(refusalOf([countProblem(rows.length, fromRow)]));
  }
  const times = timesOf(headers, rows);
  const part = left.slice(0, BULK_POSTS_MAX);
  return {
    rows: await Promise.all(part.map((one) => readLine({ headers, options, readRow, times }, one))),
    nextRow: left[BULK_POSTS_MAX]?.row ?? null,
    count: rows.length,
    headers,
    cells: new Map(part.map(({ line, row }) => [row, line.cells])),
  };
}

interface TableRow {
  readonly line: CsvLine;
  readonly row: number;
}

function countProblem(count: number, fromRow: number | undefined): RefusalDetail {
  const message =
    count === 0
      ? "the table has no post"
      : fromRow !== undefined
        ? `the table has no post from row ${fromRow} on`
        : `the table has ${count} posts, and one preview takes ${BULK_POSTS_MAX}: send it in parts, with from_row=1 first and then with the next_row of each answer`;
  return { code: "out_of_range", message, param: "posts", limit: BULK_POSTS_MAX, actual: count };
}

const TIME_COLUMN = "scheduled_at";

/**
 * The times of all rows. They are read together, because only the whole column shows how the spreadsheet writes dates.
 */
function timesOf(headers: readonly string[], rows: readonly TableRow[]): ReadonlyMap<number, ColumnTime> {
  const column = headers.indexOf(TIME_COLUMN);
  const times = readColumnTimes(rows.map(({ line }) => (line.cells[column] ?? "").trim()));
  return new Map(rows.map(({ row }, index) => [row, times[index] ?? { text: "" }]));
}

export interface TablePart {
  readonly rows: readonly BulkRow[];
  /** The row at which the next part begins. Null at the end of the table. */
  readonly nextRow: number | null;
  /** How many posts the whole table has. */
  readonly count: number;
  readonly headers: readonly string[];
  /** By row: the cells as they were written. */
  readonly cells: ReadonlyMap<number, readonly string[]>;
}

interface LineReading {
  readonly headers: readonly string[];
  readonly options: ReadonlyMap<string, OptionColumn>;
  readonly readRow: RowReader;
  readonly times: ReadonlyMap<number, ColumnTime>;
}

async function readLine({ headers, options, readRow, times }: LineReading, { line, row }: TableRow): Promise<BulkRow> {
  const { cells } = line;
  if (cells.length !== headers.length) {
    const message = `the line has ${cells.length} cells, and there are ${headers.length} columns: put quotation marks around a cell with a delimiter or a line break`;
    return { row, input: null, problems: [{ code: "csv_row_invalid", message }] };
  }
  const filled = headers.flatMap((header, index) => {
    const cell = cells[index] ?? "";
    return cell.trim() === "" ? [] : [[header, cell] as const];
  });
  const cellOf = new Map(filled);
  const time = times.get(row);
  const body: Record<string, JsonValue> = {};
  const optionsByPlatform: Partial<Record<Platform, JsonObject>> = {};
  for (const [header, cell] of filled) {
    const option = options.get(header);
    if (option) {
      const { platform, key, schema } = option;
      optionsByPlatform[platform] = { ...optionsByPlatform[platform], [key]: optionValue(schema, cell) };
    } else if (header === TIME_COLUMN && time && "text" in time) {
      body[header] = time.text;
    } else if (!BESIDE_BODY.has(header)) {
      body[header] = MEMBERS[header]?.(cell) ?? cell;
    }
  }
  if (time && "problem" in time) {
    return { row, input: null, problems: [{ code: "invalid_format", message: time.problem, param: TIME_COLUMN }] };
  }
  const altTexts = splitTexts(cellOf.get(ALT_TEXTS) ?? "");
  const accounts = splitList(cellOf.get(ACCOUNTS) ?? "");
  const read = await readRow(body, row, (input) => ({
    ...withAltTexts(input, altTexts),
    ...(accounts.length > 0 && { accounts }),
    optionsByPlatform,
  }));
  const altProblems = altTextProblems(altTexts, splitAddresses(cellOf.get("media_urls") ?? "").length);
  return altProblems.length > 0 ? { row, input: null, problems: [...read.problems, ...altProblems] } : read;
}

function altTextProblems(texts: readonly string[], files: number): readonly RefusalDetail[] {
  if (texts.length > files) {
    const message = `alt_texts describes ${texts.length} files, and media_urls has ${files}: separate the texts as the files are, with | or line breaks`;
    return [{ code: "out_of_range", message, param: ALT_TEXTS, limit: files, actual: texts.length }];
  }
  const problem = texts.findIndex((text) => !AltText.safeParse(text).success);
  return problem < 0
    ? []
    : [{ code: "alt_text_too_long", message: "a description is too long", param: `${ALT_TEXTS}[${problem}]` }];
}

/** Adds descriptions to the files of a post. The type of each file is detected, as for `media_urls`. */
function withAltTexts(input: ScheduleInput, altTexts: readonly string[]): ScheduleInput {
  return altTexts.length === 0
    ? input
    : {
        ...input,
        mediaUrls: undefined,
        mediaItems: input.mediaUrls?.map((url, index) => ({ url, type: null, altText: altTexts[index] || undefined })),
      };
}
