import Papa from "papaparse";
import { readTable } from "./read-table.ts";

/** A cell by its row, from 1, and the name of its column. */
export interface CellEdit {
  readonly row: number;
  readonly header: string;
  readonly text: string;
}

/** The table with other texts in some cells; null if every cell has its text already. The row numbers stay. */
export function editTable(text: string, edits: readonly CellEdit[]): string | null {
  const { headers, lines } = readTable(text);
  const cells = lines.map((line) => [...line.cells]);
  let isChanged = false;
  for (const { row, header, text: edited } of edits) {
    const [line, column] = [cells[row - 1], headers.indexOf(header)];
    // Browsers send the line ends of a text field as two characters.
    const written = edited.replaceAll(/\r\n?/g, "\n");
    if (line !== undefined && line.length === headers.length && column !== -1 && line[column] !== written) {
      line[column] = written;
      isChanged = true;
    }
  }
  return isChanged ? Papa.unparse([[...headers], ...cells], { newline: "\n" }) : null;
}
