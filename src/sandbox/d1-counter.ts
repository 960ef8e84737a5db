import type { SandboxEnv } from "./env.ts";

export interface D1Counts {
  /**
   * The number of calls to D1, each a network call in production. A batch is one call, however many statements it has.
   */
  roundTrips: number;
  statements: number;
  rowsRead: number;
  rowsWritten: number;
}

export const noD1Counts = (): D1Counts => ({ roundTrips: 0, statements: 0, rowsRead: 0, rowsWritten: 0 });

/** The counts of this isolate since its start. */
const isolateCounts = noD1Counts();

export const readD1Counts = (): D1Counts => ({ ...isolateCounts });

/** The counted bindings. There is one object per isolate, as without counting. */
const withCounter = new WeakMap<SandboxEnv, SandboxEnv>();

/** Counts every call to D1 in the Worker and its Durable Objects if `COUNT_D1` is set (`npm run punctual`). */
export function withD1Counter<E extends SandboxEnv>(env: E): E {
  if (env["COUNT_D1"] === undefined) {
    return env;
  }
  const counting = (withCounter.get(env) as E | undefined) ?? { ...env, DB: countingD1(env.DB, isolateCounts) };
  withCounter.set(env, counting);
  return counting;
}

/** Wraps a D1 binding so that it adds to `counts`. The `meta` of each answer contains the database's own counts. */
export function countingD1(d1: D1Database, counts: D1Counts): D1Database {
  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();
  const countResult = <R extends D1Result>(result: R): R => {
    counts.statements += 1;
    counts.rowsRead += result.meta.rows_read;
    counts.rowsWritten += result.meta.rows_written;
    return result;
  };
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const all = async () => {
      counts.roundTrips += 1;
      return countResult(await statement.all());
    };
    const wrapped = {
      bind: (...values: unknown[]) => wrap(statement.bind(...values)),
      all,
      run: all,
      async first(column?: string) {
        const [row] = (await all()).results;
        return row === undefined ? null : column === undefined ? row : row[column];
      },
      // Do without the database's own counts here, because `raw` returns only rows.
      async raw() {
        counts.roundTrips += 1;
        counts.statements += 1;
        return await statement.raw();
      },
    } as unknown as D1PreparedStatement;
    originals.set(wrapped, statement);
    return wrapped;
  };
  return {
    prepare: (sql: string) => wrap(d1.prepare(sql)),
    async batch(statements: D1PreparedStatement[]) {
      counts.roundTrips += 1;
      const results = await d1.batch(statements.map((statement) => originals.get(statement) ?? statement));
      return results.map(countResult);
    },
    exec: (sql: string) => d1.exec(sql),
    withSession: (constraint?: string) => d1.withSession(constraint),
  } as unknown as D1Database;
}
