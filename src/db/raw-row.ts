import { getTableColumns, type Table } from "drizzle-orm";

interface Column {
  readonly name: string;
  mapFromDriverValue(value: unknown): unknown;
}

/** The columns of a table, with the member name of each. */
export type RowColumns = readonly (readonly [string, Column])[];

export function columnsOf(table: Table): RowColumns {
  return Object.entries(getTableColumns(table));
}

/** Selects the columns of one table in a join, each under a name that no other table has. */
export function selectAs(alias: string, columns: RowColumns): string {
  return columns.map(([, { name }]) => `${alias}.${name} AS ${alias}_${name}`).join(", ");
}

/**
 * Converts a raw row (column names, JSON as text) into the row that drizzle would return. The cast is unavoidable, because the columns are
 * dynamic.
 */
export function readRow<Row>(columns: RowColumns, raw: Readonly<Record<string, unknown>>, alias?: string): Row {
  return Object.fromEntries(
    columns.map(([key, column]) => {
      const value = raw[alias === undefined ? column.name : `${alias}_${column.name}`] ?? null;
      return [key, value === null ? null : column.mapFromDriverValue(value)];
    }),
  ) as Row;
}
