import type { Context } from "#context.ts";
import type { CellEdit } from "./edit-table.ts";
import type { TablePart } from "./read-posts.ts";
import type { RowReader } from "./row-reader.ts";

/** Reads the posts of a table; refuses a table with unknown columns. Loads the reader lazily, with the first table. */
export async function readCsvPosts(
  ctx: Pick<Context, "config">,
  text: string,
  readRow: RowReader,
  fromRow?: number,
): Promise<TablePart> {
  const { readPosts } = await import("./read-posts.ts");
  return await readPosts(ctx, text, readRow, fromRow);
}

/** The table with the edited cells, as `editTable`. Loads the reader lazily. */
export async function editCsvTable(text: string, edits: readonly CellEdit[]): Promise<string | null> {
  if (edits.length === 0) {
    return null;
  }
  const { editTable } = await import("./edit-table.ts");
  return editTable(text, edits);
}
