import { HOUR, SECOND } from "#core/clock.ts";
import { batch, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";

const RETENTION_MS = 24 * HOUR;
/**
 * How long (ms) a running call keeps its idempotency key. If the call ends without a result, the key is then free
 * again.
 */
const LEASE_MS = 60 * SECOND;

export interface UserKey {
  readonly userId: string;
  readonly key: string;
}

/** The stored answer of a call: the response as sent or, if it is large, the ids from which to build it. */
export type StoredResponse =
  | { readonly status: number; readonly sealedBody: string }
  | { readonly status: number; readonly reference: string };

export type KeyClaim =
  | { readonly state: "claimed"; readonly leaseUntil: number }
  | { readonly state: "running" }
  | { readonly state: "completed"; readonly response: StoredResponse }
  | { readonly state: "different_request" }
  | { readonly state: "too_many_keys" };

interface Row {
  readonly request_hash: string;
  readonly status: number | null;
  readonly body: string | null;
  readonly reference: string | null;
}

/**
 * Claims an idempotency key or finds its stored response, in one transaction, so that one of several parallel calls
 * runs. A user may have at most `maxKeys` keys.
 */
export async function claimKey(
  db: Db,
  userKey: UserKey,
  {
    requestHash,
    maxKeys,
    now,
  }: { readonly requestHash: string; readonly maxKeys: number | null; readonly now: number },
): Promise<KeyClaim> {
  const leaseUntil = now + LEASE_MS;
  // mutant: unlimited-trial-keys
  const { claimed, existing } = await batch(db, {
    claimed: db.d1
      .prepare(
        `INSERT INTO idempotency_records (user_id, key, request_hash, created_at, lease_until)
         SELECT ?1, ?2, ?3, ?4, ?5
         WHERE ?7 IS NULL OR EXISTS (SELECT 1 FROM idempotency_records WHERE user_id = ?1 AND key = ?2) OR (
           SELECT count(*) FROM (SELECT 1 FROM idempotency_records WHERE user_id = ?1 LIMIT coalesce(?7, 0))) < ?7
         ON CONFLICT (user_id, key) DO UPDATE SET request_hash = excluded.request_hash, status = NULL, body = NULL,
           reference = NULL, created_at = excluded.created_at, lease_until = excluded.lease_until
         WHERE idempotency_records.created_at <= ?4 - ?6
           OR (idempotency_records.status IS NULL AND idempotency_records.lease_until <= ?4
             AND idempotency_records.request_hash = excluded.request_hash)
         RETURNING request_hash, status, body, reference`,
      )
      .bind(userKey.userId, userKey.key, requestHash, now, leaseUntil, RETENTION_MS, maxKeys),
    existing: withRows<Row>(
      db.d1
        .prepare(
          "SELECT request_hash, status, body, reference FROM idempotency_records WHERE user_id = ?1 AND key = ?2",
        )
        .bind(userKey.userId, userKey.key),
    ),
  });
  if (claimed.results.length === 1) {
    return { state: "claimed", leaseUntil };
  }
  const row = existing.results[0];
  if (row === undefined) {
    return { state: "too_many_keys" };
  }
  if (row.request_hash !== requestHash) {
    return { state: "different_request" };
  }
  const { status, body, reference } = row;
  if (status === null) {
    return { state: "running" };
  }
  const response = reference === null ? { status, sealedBody: body ?? "" } : { status, reference };
  return { state: "completed", response };
}

/**
 * Stores the response of a call that still has its lease. A call with an expired lease must not overwrite the result of
 * its successor.
 */
export async function storeResponse(
  db: Db,
  userKey: UserKey,
  leaseUntil: number,
  response: StoredResponse,
): Promise<void> {
  await db.d1
    .prepare(
      `UPDATE idempotency_records SET status = ?1, body = ?2, reference = ?6
       WHERE user_id = ?3 AND key = ?4 AND lease_until = ?5 AND status IS NULL`,
    )
    .bind(
      response.status,
      "sealedBody" in response ? response.sealedBody : null,
      userKey.userId,
      userKey.key,
      leaseUntil,
      "reference" in response ? response.reference : null,
    )
    .run();
}

export async function releaseKey(db: Db, userKey: UserKey, leaseUntil: number): Promise<void> {
  await db.d1
    .prepare("DELETE FROM idempotency_records WHERE user_id = ?1 AND key = ?2 AND lease_until = ?3 AND status IS NULL")
    .bind(userKey.userId, userKey.key, leaseUntil)
    .run();
}

/** Frees an idempotency key for the same call at once. Another call with the key is still refused. */
export async function endLease(db: Db, userKey: UserKey, leaseUntil: number): Promise<void> {
  await db.d1
    .prepare(
      "UPDATE idempotency_records SET lease_until = 0 WHERE user_id = ?1 AND key = ?2 AND lease_until = ?3 AND status IS NULL",
    )
    .bind(userKey.userId, userKey.key, leaseUntil)
    .run();
}
