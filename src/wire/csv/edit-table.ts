import Papa from "papaparse";
import { readTable } from "./read-table.ts";

/** A changed cell, by row (counted from 1) and column name. */
export interface CellEdit {
  readonly row: number;
  readonly header: string;
  readonly text: string;
}

/** Writes new texts into some cells of a table. Null if every cell already has its text. Row numbers stay the same. */
export function editTable(text: string, edits: readonly CellEdit[]): string | null {
  const { headers, lines } = readTable(text);
  const cells = lines.map((line) => [...line.cells]);
  let isChanged = false;
  for (const { row, header, text: edited } of edits) {
    const [line, column] = [cells[row - 1], headers.indexOf(header)];
    // Browsers send line ends in a text field as two characters.
    const written = edited.replaceAll(/\r\n?/g, "\n");
    if (line !== undefined && line.length === headers.length && column !== -1 && line[column] !== written) {
      line[column] = written;
      isChanged = true;
    }
  }
  return isChanged ? Papa.unparse([[...headers], ...cells], { newline: "\n" }) : null;
}
