import type { Db } from "./client.ts";

declare const rowOf: unique symbol;

/**
 * A statement that knows the type of its rows at compile time. The function that makes the statement declares the type.
 */
export type Statement<Row> = D1PreparedStatement & { readonly [rowOf]?: Row };

/** Declares the row type of a statement that is made in place, without a function. */
export const withRows = <Row>(statement: D1PreparedStatement): Statement<Row> => statement;

/** The part of D1's result that callers use. */
export interface StatementResult<Row = unknown> {
  readonly results: readonly Row[];
  readonly meta: { readonly changes: number; readonly size_after?: number };
}

export type Entry = D1PreparedStatement | readonly D1PreparedStatement[] | undefined;

type RowOf<Made> = Made extends { readonly [rowOf]?: infer Row } ? Row : unknown;

type ResultOf<Made> = Made extends readonly (infer One)[]
  ? readonly StatementResult<RowOf<One>>[]
  : StatementResult<RowOf<Made>>;

/** The results of a batch, each under the name of its statement. */
export type Results<Entries> = { readonly [Name in keyof Entries]: ResultOf<NonNullable<Entries[Name]>> };

const NO_RESULT: StatementResult<never> = { results: [], meta: { changes: 0 } };

/**
 * Runs statements as one transaction in their order, and returns each result under its statement's name. An entry that
 * is `undefined` is not run, and its result is empty.
 */
export async function batch<const Entries extends Readonly<Record<string, Entry>>>(
  { d1 }: Pick<Db, "d1">,
  entries: Entries,
): Promise<Results<Entries>> {
  const statements = Object.values(entries).flatMap((entry) => entry ?? []);
  const answers = statements.length > 0 ? (await d1.batch(statements)).values() : [].values();
  const next = (): StatementResult => answers.next().value ?? NO_RESULT;
  const named = Object.entries(entries).map(([name, entry]) => [
    name,
    entry === undefined ? NO_RESULT : Array.isArray(entry) ? entry.map(next) : next(),
  ]);
  return Object.fromEntries(named) as Results<Entries>;
}
