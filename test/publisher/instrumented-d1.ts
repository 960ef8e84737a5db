/** How a database call fails: before it runs, after it ran so that only its answer is lost, or `late`: it runs when the test runs it. */
export type D1Failure = "before" | "after" | "late";

export interface D1Usage {
  rowsRead: number;
  rowsWritten: number;
  roundTrips: number;
}

/** Wraps the D1 binding: counts rows and round trips, and makes the next calls fail as listed in `failures`. */
export function instrumentD1(
  d1: D1Database,
  usage: D1Usage,
  failures: D1Failure[],
  lateCalls: (() => Promise<unknown>)[],
): D1Database {
  const raw = new WeakMap<object, D1PreparedStatement>();
  const call = async <T>(work: () => Promise<T>, results: (response: T) => readonly D1Result[]): Promise<T> => {
    const failure = failures.shift();
    if (failure === "late") {
      lateCalls.push(work);
    }
    if (failure === "before" || failure === "late") {
      throw new Error("D1_ERROR: Network connection lost.");
    }
    const response = await work();
    usage.roundTrips += 1;
    for (const { meta } of results(response)) {
      usage.rowsRead += meta.rows_read;
      usage.rowsWritten += meta.rows_written;
    }
    if (failure === "after") {
      throw new Error("D1_ERROR: Network connection lost.");
    }
    return response;
  };
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const proxy = new Proxy(statement, {
      get(target, key) {
        switch (key) {
          case "bind":
            return (...values: unknown[]) => wrap(target.bind(...values));
          case "run":
          case "all":
            return () =>
              call(
                () => target.run(),
                (result) => [result],
              );
          case "raw":
            return (options: { columnNames?: false }) =>
              call(
                () => target.raw(options),
                () => [],
              );
          default:
            return bound(target, key);
        }
      },
    });
    raw.set(proxy, statement);
    return proxy;
  };
  return new Proxy(d1, {
    get(target, key) {
      switch (key) {
        case "prepare":
          return (sql: string) => wrap(target.prepare(sql));
        case "batch":
          return (statements: D1PreparedStatement[]) =>
            call(
              () => target.batch(statements.map((one) => raw.get(one) ?? one)),
              (results) => results,
            );
        default:
          return bound(target, key);
      }
    },
  });
}

function bound(target: object, key: string | symbol): unknown {
  const member: unknown = Reflect.get(target, key);
  return typeof member === "function" ? (member.bind(target) as unknown) : member;
}
