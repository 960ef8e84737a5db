import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import * as schema from "./schema.ts";

export interface Db {
  /** The binding itself: atomic writes go through its `batch`, because drizzle's own has two verified bugs (SCHEDULING.md 8.2). */
  readonly d1: D1Database;
  /** Typed queries outside batches. */
  readonly orm: DrizzleD1Database<typeof schema>;
}

export function openDb(d1: D1Database): Db {
  return { d1, orm: drizzle(d1, { schema }) };
}
