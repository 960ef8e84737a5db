import { type Db, openDb } from "./client.ts";

/**
 * Wraps the database and counts its statements, because an invocation of a Worker may run only 1,000. Each statement is
 * counted when it is prepared.
 */
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
