/** Where a trip goes that takes as long as the caller is far away. */
type Place = "D1" | "KV" | "object";

/** Counts the trips of a request that wait for each other. Trips that are under way together count as one. */
export class SequentialTrips {
  /** The longest chain of trips that have ended. */
  path: readonly Place[] = [];

  async #trip<T>(place: Place, send: () => Promise<T>): Promise<T> {
    const path = [...this.path, place];
    try {
      return await send();
    } finally {
      this.path = path.length > this.path.length ? path : this.path;
    }
  }

  d1(d1: D1Database): D1Database {
    const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();
    const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
      const wrapped = {
        bind: (...values: unknown[]) => wrap(statement.bind(...values)),
        all: () => this.#trip("D1", () => statement.all()),
        run: () => this.#trip("D1", () => statement.run()),
        first: (...column: [string]) => this.#trip("D1", () => statement.first(...column)),
        raw: () => this.#trip("D1", () => statement.raw()),
      } as unknown as D1PreparedStatement;
      originals.set(wrapped, statement);
      return wrapped;
    };
    return {
      prepare: (sql: string) => wrap(d1.prepare(sql)),
      batch: (statements: readonly D1PreparedStatement[]) =>
        this.#trip("D1", () => d1.batch(statements.map((statement) => originals.get(statement) ?? statement))),
    } as unknown as D1Database;
  }

  /** The named methods of a binding, each of which is a trip. */
  of<B extends object>(place: Place, binding: B): B {
    return new Proxy(binding, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
        return (...args: unknown[]) => this.#trip(place, () => method.apply(target, args));
      },
    });
  }
}
