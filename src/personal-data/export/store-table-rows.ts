import { getTableConfig } from "drizzle-orm/sqlite-core";
import type { Db } from "#db/client.ts";
import type { ExportedTable } from "#personal-data/tables.ts";

const ROWS_PER_READ = 500;

type Row = Readonly<Record<string, string | number | null>>;

/** SQL columns that make an exported row understandable without another table. */
const ADDED_COLUMNS: Readonly<Record<string, string>> = {
  oauth_grants: ", (SELECT c.name FROM oauth_clients c WHERE c.id = t.client_id) AS app_name",
};

/** The columns by which rows are ordered and read page by page. */
function keyOf(table: ExportedTable["table"]): readonly string[] {
  const { columns, primaryKeys } = getTableConfig(table);
  const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
  return key.map(({ name }) => name);
}

/** Reads the rows of a user or a workspace page by page, in the order of the primary key. */
export async function* readTableRows(
  db: Db,
  { table, column, where = "true" }: ExportedTable,
  owner: string,
): AsyncGenerator<readonly Row[]> {
  const { name } = getTableConfig(table);
  const key = keyOf(table).filter((part) => part !== column);
  let last: readonly (string | number | null)[] | null = null;
  for (;;) {
    const after: string =
      last === null || key.length === 0
        ? ""
        : `AND (${key.join(", ")}) > (${key.map((_, index) => `?${index + 2}`).join(", ")})`;
    const order = key.length === 0 ? "" : `ORDER BY ${key.join(", ")}`;
    const { results }: D1Result<Row> = await db.d1
      .prepare(
        `SELECT t.*${ADDED_COLUMNS[name] ?? ""} FROM ${name} t WHERE ${column} = ?1 AND ${where} ${after} ${order} LIMIT ${ROWS_PER_READ}`,
      )
      .bind(owner, ...(last ?? []))
      .all<Row>();
    yield results;
    const end = results.at(-1);
    if (end === undefined || results.length < ROWS_PER_READ || key.length === 0) {
      return;
    }
    last = key.map((part) => end[part] ?? null);
  }
}
