/** What was sent to the database. */
export interface Count {
  /** Calls: a batch is one, however many statements it holds. */
  roundTrips: number;
  statements: number;
  rowsRead: number;
  rowsWritten: number;
}

export interface CountingD1 {
  readonly d1: D1Database;
  readonly count: Count;
  reset(): void;
}

interface Counted {
  readonly inner: D1PreparedStatement;
}

/** The binding, counted; `meta` of each answer says what the database itself counted. */
export function countingD1(inner: D1Database): CountingD1 {
  const count: Count = { roundTrips: 0, statements: 0, rowsRead: 0, rowsWritten: 0 };
  const statements = new WeakMap<D1PreparedStatement, Counted>();

  const note = <Result extends D1Result>(result: Result): Result => {
    count.statements += 1;
    count.rowsRead += result.meta.rows_read;
    count.rowsWritten += result.meta.rows_written;
    return result;
  };

  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const all = async () => {
      count.roundTrips += 1;
      return note(await statement.all());
    };
    const counted = {
      bind: (...values: unknown[]) => wrap(statement.bind(...values)),
      all,
      run: all,
      async first(column?: string) {
        const [row] = (await all()).results;
        return row === undefined ? null : column === undefined ? row : row[column];
      },
      async raw() {
        count.roundTrips += 1;
        count.statements += 1;
        return await statement.raw();
      },
    } as unknown as D1PreparedStatement;
    statements.set(counted, { inner: statement });
    return counted;
  };

  const d1 = {
    prepare: (sql: string) => wrap(inner.prepare(sql)),
    async batch(batch: D1PreparedStatement[]) {
      count.roundTrips += 1;
      const results = await inner.batch(batch.map((statement) => statements.get(statement)?.inner ?? statement));
      return results.map(note);
    },
    exec: (sql: string) => inner.exec(sql),
    dump: () => inner.dump(),
    withSession: (constraint?: string) => inner.withSession(constraint),
  } as unknown as D1Database;

  return {
    d1,
    count,
    reset() {
      Object.assign(count, { roundTrips: 0, statements: 0, rowsRead: 0, rowsWritten: 0 });
    },
  };
}
