/** What the database does with a call: fails before it, or does it and loses the answer. */
export type D1Fault = "before" | "after";

export interface D1Rows {
  read: number;
  written: number;
  trips: number;
}

/** The binding with its costs counted and its failures scripted. */
export function watched(d1: D1Database, rows: D1Rows, faults: D1Fault[]): D1Database {
  const raw = new WeakMap<object, D1PreparedStatement>();
  const call = async <T>(work: () => Promise<T>, results: (done: T) => readonly D1Result[]): Promise<T> => {
    const fault = faults.shift();
    if (fault === "before") {
      throw new Error("D1_ERROR: Network connection lost.");
    }
    const done = await work();
    rows.trips += 1;
    for (const { meta } of results(done)) {
      rows.read += meta.rows_read;
      rows.written += meta.rows_written;
    }
    if (fault === "after") {
      throw new Error("D1_ERROR: Network connection lost.");
    }
    return done;
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
