import Papa from "papaparse";

const HAS_OFFSET = /(?:z|[+-]\d{2}:?\d{2})$/i;
/** On the clock, as the service reads it or as a spreadsheet writes it. */
const LOCAL_TIME = /^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}[T ,]+\d{1,2}:\d{2}/i;
const SEPARATOR_HINT = /^"?sep=([^\n"])"?\n/i;

/** As the service finds it: names of columns never have one. */
function delimiterOf(table: string): string {
  const [headers = ""] = table.split("\n", 1);
  const count = (delimiter: string) => headers.split(delimiter).length;
  return [",", ";", "\t"].toSorted((a, b) => count(b) - count(a))[0] ?? ",";
}

function readTable(text: string) {
  const whole = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const [hint, named] = SEPARATOR_HINT.exec(whole) ?? ["", undefined];
  const table = whole.slice(hint.length);
  const delimiter = named ?? delimiterOf(table);
  const { data, errors } = Papa.parse<string[]>(table, { delimiter, newline: "\n" });
  const [headers = [], ...lines] = data;
  return { headers, lines, delimiter, errors };
}

/** Empty lines are no posts. */
export function countPosts(text: string): number {
  return readTable(text).lines.filter((cells) => cells.some((cell) => cell.trim() !== "")).length;
}

/**
 * The table in which each time on the clock has the zone, where the table names none: `--zone` means the same here as elsewhere. A table
 * that cannot be read stays as it is, and the service says what is wrong with it.
 */
export function withTimeZone(text: string, zone: string): string {
  const { headers, lines, delimiter, errors } = readTable(text);
  const names = headers.map((header) => header.trim().toLowerCase());
  const timeColumn = names.indexOf("scheduled_at");
  if (errors.length > 0 || timeColumn === -1) {
    return text;
  }
  const hasColumn = names.includes("time_zone");
  const zoneColumn = hasColumn ? names.indexOf("time_zone") : headers.length;
  const needsZone = (cells: readonly string[]) => {
    const time = (cells[timeColumn] ?? "").trim();
    return LOCAL_TIME.test(time) && !HAS_OFFSET.test(time) && (cells[zoneColumn] ?? "").trim() === "";
  };
  if (!lines.some(needsZone)) {
    return text;
  }
  const filled = lines.map((cells) =>
    // A line with too few or too many cells is refused by its number.
    cells.length === headers.length
      ? needsZone(cells)
        ? cells.toSpliced(zoneColumn, hasColumn ? 1 : 0, zone)
        : hasColumn
          ? cells
          : [...cells, ""]
      : cells,
  );
  return Papa.unparse([hasColumn ? headers : [...headers, "time_zone"], ...filled], {
    delimiter,
    newline: "\n",
  });
}
