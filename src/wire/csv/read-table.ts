import Papa from "papaparse";

/** A quoted cell may have line breaks. */
export interface CsvLine {
  readonly cells: readonly string[];
  readonly fault: string | null;
}

export interface CsvTable {
  readonly headers: readonly string[];
  /** Without the line of the headers. */
  readonly lines: readonly CsvLine[];
}

const DELIMITERS = [",", ";", "\t"];

/** Headers never contain a delimiter, so their line shows which one it is. Captions may contain one, so they are ignored. */
function delimiterOf(text: string): string {
  const [headers = ""] = text.split("\n", 1);
  const count = (delimiter: string) => headers.split(delimiter).length;
  return DELIMITERS.toSorted((a, b) => count(b) - count(a))[0] ?? ",";
}

const QUOTE_FAULTS: Readonly<Record<string, string>> = {
  MissingQuotes: "a cell begins with a quotation mark and has none at its end",
  InvalidQuotes: "a quoted cell has text after its quotation mark; inside a cell write the mark twice",
};

/** Reads a table from a spreadsheet: with commas, semicolons or tabs, and any line ends. */
export function readTable(text: string): CsvTable {
  // Line ends inside captions become `\n`, because platforms count that as one character.
  const lines = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const { data, errors } = Papa.parse<string[]>(lines, { delimiter: delimiterOf(lines), newline: "\n" });
  const quoteFaults = new Map(errors.map(({ row, code }) => [row, QUOTE_FAULTS[code] ?? null]));
  const [headers = [], ...rest] = data;
  return {
    headers: headers.map((header) => header.trim().toLowerCase()),
    lines: rest.map((cells, index) => ({ cells, fault: quoteFaults.get(index + 1) ?? null })),
  };
}
