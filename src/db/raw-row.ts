import { getTableColumns, type Table } from "drizzle-orm";

interface Column {
  readonly name: string;
  mapFromDriverValue(value: unknown): unknown;
}

/** The columns of a table by the names of its members. */
export type RowColumns = readonly (readonly [string, Column])[];

export function columnsOf(table: Table): RowColumns {
  return Object.entries(getTableColumns(table));
}

/** What a statement that joins tables selects of one of them: names that are not those of another table. */
export function selectAs(alias: string, columns: RowColumns): string {
  return columns.map(([, { name }]) => `${alias}.${name} AS ${alias}_${name}`).join(", ");
}

/** A raw row (column names, JSON as text) as drizzle would have read it; the cast is unavoidable, as the columns are dynamic. */
export function readRow<Row>(columns: RowColumns, raw: Readonly<Record<string, unknown>>, alias?: string): Row {
  return Object.fromEntries(
    columns.map(([key, column]) => {
      const value = raw[alias === undefined ? column.name : `${alias}_${column.name}`] ?? null;
      return [key, value === null ? null : column.mapFromDriverValue(value)];
    }),
  ) as Row;
}
