import type { Context } from "#context.ts";
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
