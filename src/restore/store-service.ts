import type { DatabaseMark } from "#core/database-watch.ts";
import { batch, type StatementResult, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import type { HeldReason } from "#db/schema.ts";

/** SQL condition that the database is not held. Every statement that can lead to a publication contains it. */
export const NOT_HELD = "NOT EXISTS (SELECT 1 FROM service WHERE held IS NOT NULL)";

export interface ServiceRow extends DatabaseMark {
  readonly held: HeldReason | null;
  readonly reviewedTo: string;
}

const SELECT_SERVICE = "SELECT beat, epoch, held, reviewed_to AS reviewedTo FROM service";

export async function readService(db: Db): Promise<ServiceRow> {
  return requireRow(await db.d1.prepare(SELECT_SERVICE).all<ServiceRow>());
}

/**
 * Holds the database if it is behind `highest`; otherwise raises its beat. It also reads the row, all in one
 * transaction.
 */
export async function beatOrHold(db: Db, highest: DatabaseMark, now: number): Promise<ServiceRow> {
  const { read } = await batch(db, {
    // mutant: no-hold-of-restored
    hold: db.d1
      .prepare(
        `UPDATE service SET held = 'restored', reviewed_to = '' WHERE held IS NULL AND (epoch < ?1 OR (epoch = ?1 AND beat < ?2))`,
      )
      .bind(highest.epoch, highest.beat),
    beat: db.d1.prepare("UPDATE service SET beat = max(?1, beat + 1) WHERE held IS NULL").bind(now),
    read: withRows<ServiceRow>(db.d1.prepare(SELECT_SERVICE)),
  });
  return requireRow(read);
}

/** Allows publishing again, with a new epoch. Null if the review was started again meanwhile. */
export async function releaseService(db: Db, highest: DatabaseMark, now: number): Promise<DatabaseMark | null> {
  const { results } = await db.d1
    .prepare(
      `UPDATE service SET held = NULL, reviewed_to = '', epoch = max(epoch, ?1) + 1, beat = max(beat + 1, ?2)
       WHERE held = 'reviewing' RETURNING epoch, beat`,
    )
    .bind(highest.epoch, now)
    .all<DatabaseMark>();
  return results[0] ?? null;
}

/**
 * Starts the review after the operator's release. The cron then checks every post that could still be published, and
 * allows publishing.
 */
export async function startReview(db: Db): Promise<ServiceRow> {
  await db.d1.prepare("UPDATE service SET held = 'reviewing', reviewed_to = '' WHERE held = 'restored'").run();
  return await readService(db);
}

function requireRow({ results }: StatementResult<ServiceRow>): ServiceRow {
  const [row] = results;
  if (!row) {
    throw new Error("the table service has no row: apply the migrations");
  }
  return row;
}
