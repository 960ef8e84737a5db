import { type Db, openDb } from "./client.ts";

/** The same database, counting: an invocation of a Worker may run 1,000 statements. Each is prepared once, also in a batch. */
export function countStatements({ d1 }: Db): { readonly db: Db; readonly statements: () => number } {
  let count = 0;
  const db = openDb({
    prepare: (sql) => {
      count += 1;
      return d1.prepare(sql);
    },
    batch: async (statements) => await d1.batch(statements),
  });
  return { db, statements: () => count };
}
