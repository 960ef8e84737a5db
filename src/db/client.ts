import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";

export interface Db {
  /**
   * The D1 binding itself. Atomic writes use its `batch`, because drizzle's `batch` has two known bugs (SCHEDULING.md
   * 8.2).
   */
  readonly d1: Pick<D1Database, "prepare" | "batch">;
  /** Drizzle, for typed queries outside batches. Created at its first use, because most requests do not need it. */
  readonly orm: DrizzleD1Database;
}

export function openDb(d1: Db["d1"]): Db {
  let orm: DrizzleD1Database | undefined;
  return {
    d1,
    get orm() {
      orm ??= drizzle(d1 as D1Database);
      return orm;
    },
  };
}
