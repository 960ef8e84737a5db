import { getTableColumns, type Table } from "drizzle-orm";

interface Column {
  readonly name: string;
  mapFromDriverValue(value: unknown): unknown;
}

/** The columns of a table, each with its member name in drizzle. */
export type RowColumns = readonly (readonly [string, Column])[];

export function columnsOf(table: Table): RowColumns {
  return Object.entries(getTableColumns(table));
}

/** SQL that selects one table's columns in a join, under names that no other table has. */
export function selectAs(alias: string, columns: RowColumns): string {
  return columns.map(([, { name }]) => `${alias}.${name} AS ${alias}_${name}`).join(", ");
}

/**
 * Converts a raw row (column names, JSON as text) into drizzle's form. The cast is unavoidable, because the columns are
 * known only at run time.
 */
export function readRow<Row>(columns: RowColumns, raw: Readonly<Record<string, unknown>>, alias?: string): Row {
  return Object.fromEntries(
    columns.map(([key, column]) => {
      const value = raw[alias === undefined ? column.name : `${alias}_${column.name}`] ?? null;
      return [key, value === null ? null : column.mapFromDriverValue(value)];
    }),
  ) as Row;
}
