import { HOUR, SECOND } from "#core/clock.ts";
import type { Db } from "#db/client.ts";

const REMEMBERED_MS = 24 * HOUR;
/** A runner that died frees its key after this. */
const LEASE_MS = 60 * SECOND;

export interface KeyOfUser {
  readonly userId: string;
  readonly key: string;
}

export interface SealedAnswer {
  readonly status: number;
  readonly sealedBody: string;
}

export type Claim =
  | { readonly state: "mine"; readonly leaseUntil: number }
  | { readonly state: "running" }
  | { readonly state: "answered"; readonly answer: SealedAnswer }
  | { readonly state: "other_request" };

interface Row {
  readonly request_hash: string;
  readonly status: number | null;
  readonly body: string | null;
}

/** Claim and look are one transaction, so that of any number of parallel callers exactly one runs. */
export async function claimKey(db: Db, of: KeyOfUser, requestHash: string, now: number): Promise<Claim> {
  const leaseUntil = now + LEASE_MS;
  const [claimed, found] = await db.d1.batch<Row>([
    db.d1
      .prepare(
        `INSERT INTO idempotency_records (user_id, key, request_hash, created_at, lease_until) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (user_id, key) DO UPDATE SET request_hash = excluded.request_hash, status = NULL, body = NULL,
           created_at = excluded.created_at, lease_until = excluded.lease_until
         WHERE idempotency_records.created_at <= ?4 - ?6
           OR (idempotency_records.status IS NULL AND idempotency_records.lease_until <= ?4
             AND idempotency_records.request_hash = excluded.request_hash)
         RETURNING request_hash, status, body`,
      )
      .bind(of.userId, of.key, requestHash, now, leaseUntil, REMEMBERED_MS),
    db.d1
      .prepare("SELECT request_hash, status, body FROM idempotency_records WHERE user_id = ?1 AND key = ?2")
      .bind(of.userId, of.key),
  ]);
  if (claimed?.results.length === 1) {
    return { state: "mine", leaseUntil };
  }
  const row = found?.results[0];
  if (row === undefined || row.request_hash !== requestHash) {
    return { state: "other_request" };
  }
  return row.status === null
    ? { state: "running" }
    : { state: "answered", answer: { status: row.status, sealedBody: row.body ?? "" } };
}

/** The lease is the fence: a runner that was overtaken must not write over its successor. */
export async function storeAnswer(db: Db, of: KeyOfUser, leaseUntil: number, answer: SealedAnswer): Promise<void> {
  await db.d1
    .prepare(
      `UPDATE idempotency_records SET status = ?1, body = ?2
       WHERE user_id = ?3 AND key = ?4 AND lease_until = ?5 AND status IS NULL`,
    )
    .bind(answer.status, answer.sealedBody, of.userId, of.key, leaseUntil)
    .run();
}

export async function releaseKey(db: Db, of: KeyOfUser, leaseUntil: number): Promise<void> {
  await db.d1
    .prepare("DELETE FROM idempotency_records WHERE user_id = ?1 AND key = ?2 AND lease_until = ?3 AND status IS NULL")
    .bind(of.userId, of.key, leaseUntil)
    .run();
}
