import Papa from "papaparse";

/** One line of a table; a quoted cell may have line breaks. */
export interface CsvLine {
  readonly cells: readonly string[];
  /** What makes it unreadable. */
  readonly fault: string | null;
}

export interface CsvTable {
  readonly headers: readonly string[];
  /** Without the line of the headers. */
  readonly lines: readonly CsvLine[];
}

const DELIMITERS = [",", ";", "\t"];

/** Headers never contain a delimiter, so their line tells it; captions, which do, are not looked at. */
function delimiterOf(text: string): string {
  const [headers = ""] = text.split("\n", 1);
  const count = (delimiter: string) => headers.split(delimiter).length;
  return DELIMITERS.toSorted((a, b) => count(b) - count(a))[0] ?? ",";
}

const QUOTE_FAULTS: Readonly<Record<string, string>> = {
  MissingQuotes: "a cell begins with a quotation mark and has none at its end",
  InvalidQuotes: "a quoted cell has text after its quotation mark; inside a cell write the mark twice",
};

/** Reads a table as spreadsheets write it: with commas, semicolons or tabs, and any line ends. */
export function readTable(text: string): CsvTable {
  // Line ends inside captions become the ones that platforms count once.
  const lines = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const { data, errors } = Papa.parse<string[]>(lines, { delimiter: delimiterOf(lines), newline: "\n" });
  const quoteFaults = new Map(errors.map(({ row, code }) => [row, QUOTE_FAULTS[code] ?? null]));
  const [headers = [], ...rest] = data;
  return {
    headers: headers.map((header) => header.trim().toLowerCase()),
    lines: rest.map((cells, index) => ({ cells, fault: quoteFaults.get(index + 1) ?? null })),
  };
}
