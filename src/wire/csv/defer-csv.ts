import type { Context } from "#context.ts";
import type { CellEdit } from "./edit-table.ts";
import type { TablePart } from "./read-posts.ts";
import type { RowReader } from "./row-reader.ts";

/** Reads the posts of a table, and refuses one with unknown columns. The code is loaded with the first table. */
export async function readCsvPosts(
  ctx: Pick<Context, "config">,
  text: string,
  readRow: RowReader,
  fromRow?: number,
): Promise<TablePart> {
  const { readPosts } = await import("./read-posts.ts");
  return await readPosts(ctx, text, readRow, fromRow);
}

/** Edits cells of a table (`editTable`). The code is loaded with the first table. */
export async function editCsvTable(text: string, edits: readonly CellEdit[]): Promise<string | null> {
  if (edits.length === 0) {
    return null;
  }
  const { editTable } = await import("./edit-table.ts");
  return editTable(text, edits);
}
