import { HOUR, SECOND } from "#core/clock.ts";
import type { Db } from "#db/client.ts";

const RETENTION_MS = 24 * HOUR;
/** A call that ended without a result releases its key after this time. */
const LEASE_MS = 60 * SECOND;

export interface UserKey {
  readonly userId: string;
  readonly key: string;
}

export interface SealedResponse {
  readonly status: number;
  readonly sealedBody: string;
}

export type KeyClaim =
  | { readonly state: "claimed"; readonly leaseUntil: number }
  | { readonly state: "running" }
  | { readonly state: "completed"; readonly response: SealedResponse }
  | { readonly state: "different_request" };

interface Row {
  readonly request_hash: string;
  readonly status: number | null;
  readonly body: string | null;
}

/** Claim and lookup are one transaction, so exactly one of several parallel calls runs. */
export async function claimKey(db: Db, userKey: UserKey, requestHash: string, now: number): Promise<KeyClaim> {
  const leaseUntil = now + LEASE_MS;
  const [claimed, existing] = await db.d1.batch<Row>([
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
      .bind(userKey.userId, userKey.key, requestHash, now, leaseUntil, RETENTION_MS),
    db.d1
      .prepare("SELECT request_hash, status, body FROM idempotency_records WHERE user_id = ?1 AND key = ?2")
      .bind(userKey.userId, userKey.key),
  ]);
  if (claimed?.results.length === 1) {
    return { state: "claimed", leaseUntil };
  }
  const row = existing?.results[0];
  if (row === undefined || row.request_hash !== requestHash) {
    return { state: "different_request" };
  }
  return row.status === null
    ? { state: "running" }
    : { state: "completed", response: { status: row.status, sealedBody: row.body ?? "" } };
}

/** Compares the lease, so a call whose lease has expired cannot overwrite the result of the call that replaced it. */
export async function storeResponse(
  db: Db,
  userKey: UserKey,
  leaseUntil: number,
  response: SealedResponse,
): Promise<void> {
  await db.d1
    .prepare(
      `UPDATE idempotency_records SET status = ?1, body = ?2
       WHERE user_id = ?3 AND key = ?4 AND lease_until = ?5 AND status IS NULL`,
    )
    .bind(response.status, response.sealedBody, userKey.userId, userKey.key, leaseUntil)
    .run();
}

export async function releaseKey(db: Db, userKey: UserKey, leaseUntil: number): Promise<void> {
  await db.d1
    .prepare("DELETE FROM idempotency_records WHERE user_id = ?1 AND key = ?2 AND lease_until = ?3 AND status IS NULL")
    .bind(userKey.userId, userKey.key, leaseUntil)
    .run();
}
