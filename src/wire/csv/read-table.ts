import Papa from "papaparse";

/** One line of a table. A quoted cell may contain line breaks. */
export interface CsvLine {
  readonly cells: readonly string[];
  readonly fault: string | null;
}

export interface CsvTable {
  readonly headers: readonly string[];
  /** The lines without the header. */
  readonly lines: readonly CsvLine[];
}

const DELIMITERS = [",", ";", "\t"];

/** Finds the delimiter of a table by its header, because headers never contain one, but captions may. */
function delimiterOf(text: string): string {
  const [headers = ""] = text.split("\n", 1);
  const count = (delimiter: string) => headers.split(delimiter).length;
  return DELIMITERS.toSorted((a, b) => count(b) - count(a))[0] ?? ",";
}

/** Matches the first line that tells Excel the separator of the table. */
const SEPARATOR_HINT = /^"?sep=([^\n"])"?\n/i;

const QUOTE_FAULTS: Readonly<Record<string, string>> = {
  MissingQuotes: "a cell begins with a quotation mark and has none at its end",
  InvalidQuotes: "a quoted cell has text after its quotation mark; inside a cell write the mark twice",
};

/** Reads a table from a spreadsheet, with commas, semicolons or tabs and any line ends. */
export function readTable(text: string): CsvTable {
  // Convert line ends inside captions to `\n`, which platforms count as one character.
  const lines = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const [hint, named] = SEPARATOR_HINT.exec(lines) ?? ["", undefined];
  const table = lines.slice(hint.length);
  const { data, errors } = Papa.parse<string[]>(table, { delimiter: named ?? delimiterOf(table), newline: "\n" });
  const quoteFaults = new Map(errors.map(({ row, code }) => [row, QUOTE_FAULTS[code] ?? null]));
  const [headers = [], ...rest] = data;
  const names = headers.map((header) => header.trim().toLowerCase());
  const isUsed = names.map((name) => name !== "");
  for (const cells of rest) {
    for (const [index, cell] of cells.entries()) {
      isUsed[index] ||= cell.trim() !== "";
    }
  }
  return {
    headers: names.filter((_, index) => isUsed[index]),
    // Keep cells beyond the headers, so that their line is refused.
    lines: rest.map((cells, index) => ({
      cells: cells.filter((_, place) => place >= names.length || isUsed[place]),
      fault: quoteFaults.get(index + 1) ?? null,
    })),
  };
}
