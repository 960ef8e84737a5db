import { MAX_PLACE } from "#core/arming.ts";
import type { Db } from "#db/client.ts";

/** As for one new post: of each instant, the place of the last one. */
export function placesStatement(db: Db, watchAts: readonly number[]): D1PreparedStatement {
  return db.d1
    .prepare(
      `SELECT w.value AS watchAt, (SELECT count(*) - 1 FROM (SELECT 1 FROM posts p WHERE p.watch_at = w.value LIMIT ?2)) AS place
       FROM (SELECT DISTINCT value FROM json_each(?1)) AS w`,
    )
    .bind(JSON.stringify(watchAts), MAX_PLACE + 1);
}

export function readPlaces(result: D1Result | undefined): ReadonlyMap<number, number> {
  const rows = (result?.results ?? []) as unknown as readonly { readonly watchAt: number; readonly place: number }[];
  return new Map(rows.map(({ watchAt, place }) => [watchAt, place]));
}
