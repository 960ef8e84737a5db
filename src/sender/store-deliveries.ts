import type { EventType } from "#core/event-type.ts";
import type {
  Delivery,
  DeliveryPage,
  DeliveryStatus,
  DeliverySummary,
  DeliveryTry,
  WebhookHealth,
} from "#core/webhook-sender.ts";
import type { FailureRecord } from "#webhooks/delivery/is-failing.ts";

/** The part of a Durable Object's storage that the deliveries need. */
export type SenderStorage = Pick<DurableObjectStorage, "sql" | "transactionSync">;

/**
 * The tables of a webhook's object. `sender` has one row. A delivery with `failures = 0` waits for its first try, or is
 * being tried. An event waits at most once, however often it is read. After a restore, events up to `checked_to` may
 * already be stored, so each is looked up.
 */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS sender (
    id INTEGER PRIMARY KEY CHECK (id = 1), webhook_id TEXT, seq INTEGER NOT NULL DEFAULT 0, seq_is_event INTEGER NOT NULL DEFAULT 0,
    checked_to INTEGER NOT NULL DEFAULT 0, start_seen INTEGER NOT NULL DEFAULT 0, was_disabled INTEGER NOT NULL DEFAULT 0,
    last_success_at INTEGER, last_failure_at INTEGER, failures INTEGER NOT NULL DEFAULT 0,
    failing_since INTEGER, failed_events INTEGER NOT NULL DEFAULT 0);
  INSERT OR IGNORE INTO sender (id) VALUES (1);
  CREATE TABLE IF NOT EXISTS deliveries (
    n INTEGER PRIMARY KEY AUTOINCREMENT, event_id TEXT NOT NULL, seq INTEGER, type TEXT NOT NULL, subject_id TEXT NOT NULL,
    body TEXT NOT NULL, status TEXT NOT NULL, failures INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, next_try_at INTEGER);
  CREATE UNIQUE INDEX IF NOT EXISTS deliveries_pending ON deliveries (event_id) WHERE status = 'pending';
  CREATE INDEX IF NOT EXISTS deliveries_first ON deliveries (n) WHERE status = 'pending' AND failures = 0;
  CREATE INDEX IF NOT EXISTS deliveries_due ON deliveries (next_try_at) WHERE status = 'pending' AND failures > 0;
  CREATE TABLE IF NOT EXISTS tries (
    delivery INTEGER NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL, duration_ms INTEGER NOT NULL, status INTEGER,
    error TEXT, response TEXT NOT NULL, PRIMARY KEY (delivery, number)) WITHOUT ROWID;
`;

export interface SenderState {
  readonly webhookId: string | null;
  readonly seq: number;
  readonly isEvent: boolean;
  readonly checkedTo: number;
  readonly startSeen: number;
  readonly wasDisabled: boolean;
}

export interface NewDelivery {
  readonly eventId: string;
  readonly seq: number;
  readonly type: EventType;
  readonly subjectId: string;
  readonly body: string;
}

export interface WaitingDelivery {
  readonly n: number;
  readonly subjectId: string;
}

export interface StoredMessage {
  readonly eventId: string;
  readonly body: string;
  readonly status: DeliveryStatus;
  readonly failures: number;
}

export interface TryRecord {
  readonly status: DeliveryStatus;
  readonly failures: number;
  readonly nextTryAt: number | null;
  readonly isSuccess: boolean;
  readonly isFirstFailure: boolean;
}

type Row = Record<string, string | number | null>;

/**
 * The prefix of delivery ids: the random end of the webhook's id, so that the deliveries of two webhooks have different
 * ids.
 */
const idPrefix = (webhookId: string | null) => `dlv_${webhookId?.slice(-12) ?? ""}_`;

const orNull = (value: string | number | null | undefined) =>
  value === null || value === undefined ? null : Number(value);

/** How many expired deliveries one statement deletes. */
const EXPIRE_AT_ONCE = 500;

/**
 * The deliveries of one webhook, in the SQLite storage of its Durable Object. All calls are synchronous, so nothing
 * comes between a check and its write.
 */
export class DeliveryStore {
  private isReady = false;
  /** Counts the erasures. If it changes while D1 is being read, the result of that read is not stored. */
  erasures = 0;

  constructor(private readonly storage: SenderStorage) {}

  private exec(query: string, ...values: SqlStorageValue[]): Row[] {
    if (!this.isReady) {
      this.storage.sql.exec(SCHEMA);
      this.isReady = true;
    }
    return this.storage.sql.exec<Row>(query, ...values).toArray();
  }

  /** Forgets that the tables exist after they were deleted. The next call creates them again. */
  forget(): void {
    this.isReady = false;
  }

  state(): SenderState {
    const [row = {}] = this.exec(
      "SELECT webhook_id, seq, seq_is_event, checked_to, start_seen, was_disabled FROM sender WHERE id = 1",
    );
    return {
      webhookId: row["webhook_id"] === null ? null : String(row["webhook_id"]),
      seq: Number(row["seq"]),
      isEvent: row["seq_is_event"] === 1,
      checkedTo: Number(row["checked_to"]),
      startSeen: Number(row["start_seen"]),
      wasDisabled: row["was_disabled"] === 1,
    };
  }

  private toId(n: number): string {
    return `${idPrefix(this.state().webhookId)}${n}`;
  }

  /** The number of a delivery, from its id. Null for anything but an id of this webhook. */
  private fromId(id: string): number | null {
    const prefix = idPrefix(this.state().webhookId);
    const number = id.slice(prefix.length);
    return id.startsWith(prefix) && /^\d{1,15}$/.test(number) ? Number(number) : null;
  }

  putWebhookId(id: string): void {
    this.exec("UPDATE sender SET webhook_id = ? WHERE id = 1 AND webhook_id IS NULL", id);
  }

  putDisabled(isDisabled: boolean): void {
    this.exec("UPDATE sender SET was_disabled = ?1 WHERE id = 1 AND was_disabled <> ?1", Number(isDisabled));
  }

  putCursor(cursor: Pick<SenderState, "seq" | "isEvent" | "checkedTo">): void {
    const { seq, isEvent, checkedTo } = cursor;
    this.exec(
      "UPDATE sender SET seq = ?, seq_is_event = ?, checked_to = ? WHERE id = 1",
      seq,
      Number(isEvent),
      checkedTo,
    );
  }

  /** Drops waiting deliveries of events from before a new start of the webhook. */
  startAfter(startAfter: number): void {
    this.storage.transactionSync(() => {
      this.exec(
        `UPDATE sender SET start_seen = ?1, seq_is_event = iif(seq >= ?1, seq_is_event, 0), seq = max(seq, ?1) WHERE id = 1`,
        startAfter,
      );
      this.exec(
        "UPDATE deliveries SET status = 'failed', next_try_at = NULL WHERE status = 'pending' AND seq <= ?",
        startAfter,
      );
    });
  }

  /** Stores deliveries and cursor in one transaction, so that no event is skipped or stored twice. */
  addDeliveries(deliveries: readonly NewDelivery[], cursorSeq: number, now: number): readonly WaitingDelivery[] {
    return this.storage.transactionSync(() => {
      const added: WaitingDelivery[] = [];
      for (const { eventId, seq, type, subjectId, body } of deliveries) {
        const [row] = this.exec(
          `INSERT OR IGNORE INTO deliveries (event_id, seq, type, subject_id, body, status, created_at, next_try_at)
           VALUES (?1, ?2, ?3, ?4, ?5, 'pending', ?6, ?6) RETURNING n`,
          eventId,
          seq,
          type,
          subjectId,
          body,
          now,
        );
        if (row) {
          added.push({ n: Number(row["n"]), subjectId });
        }
      }
      this.exec("UPDATE sender SET seq = ?, seq_is_event = 1 WHERE id = 1", cursorSeq);
      return added;
    });
  }

  hasDelivery(eventId: string): boolean {
    return this.exec("SELECT 1 AS found FROM deliveries WHERE event_id = ? LIMIT 1", eventId).length > 0;
  }

  waitingFirstTries(): readonly WaitingDelivery[] {
    return this.exec("SELECT n, subject_id FROM deliveries WHERE status = 'pending' AND failures = 0 ORDER BY n").map(
      (row) => ({ n: Number(row["n"]), subjectId: String(row["subject_id"]) }),
    );
  }

  dueRetries(now: number, limit: number): readonly number[] {
    return this.exec(
      "SELECT n FROM deliveries WHERE status = 'pending' AND failures > 0 AND next_try_at <= ? ORDER BY next_try_at, n LIMIT ?",
      now,
      limit,
    ).map((row) => Number(row["n"]));
  }

  nextRetryAt(): number | null {
    const [row] = this.exec("SELECT min(next_try_at) AS at FROM deliveries WHERE status = 'pending' AND failures > 0");
    return orNull(row?.["at"]);
  }

  message(n: number): StoredMessage | null {
    const [row] = this.exec("SELECT event_id, body, status, failures FROM deliveries WHERE n = ?", n);
    return (
      (row && {
        eventId: String(row["event_id"]),
        body: String(row["body"]),
        status: row["status"] as DeliveryStatus,
        failures: Number(row["failures"]),
      }) ??
      null
    );
  }

  /** Records a try. A delivery that was erased meanwhile stays erased. */
  recordTry(n: number, attempt: DeliveryTry, result: TryRecord): void {
    this.storage.transactionSync(() => {
      const changed = this.exec(
        "UPDATE deliveries SET status = ?, failures = ?, next_try_at = ? WHERE n = ? RETURNING n",
        result.status,
        result.failures,
        result.nextTryAt,
        n,
      );
      if (changed.length === 0) {
        return;
      }
      this.insertTry(n, attempt);
      if (result.isSuccess) {
        this.recordSuccess(attempt);
      } else {
        this.recordFailure(attempt, result.isFirstFailure);
      }
    });
  }

  /** Records a test. Its failure does not count as a failure of events. */
  recordTest(test: Omit<NewDelivery, "seq">, attempt: DeliveryTry, isDelivered: boolean): void {
    this.storage.transactionSync(() => {
      const [row] = this.exec(
        `INSERT INTO deliveries (event_id, type, subject_id, body, status, failures, created_at) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING n`,
        test.eventId,
        test.type,
        test.subjectId,
        test.body,
        isDelivered ? "delivered" : "failed",
        Number(!isDelivered),
        attempt.at,
      );
      this.insertTry(Number(row?.["n"]), attempt);
      if (isDelivered) {
        this.recordSuccess(attempt);
      }
    });
  }

  private insertTry(n: number, { at, durationMs, status, error, response }: DeliveryTry): void {
    this.exec(
      `INSERT INTO tries (delivery, number, at, duration_ms, status, error, response)
       VALUES (?1, 1 + coalesce((SELECT max(number) FROM tries WHERE delivery = ?1), 0), ?2, ?3, ?4, ?5, ?6)`,
      n,
      at,
      durationMs,
      status,
      error,
      response,
    );
  }

  private recordSuccess({ at }: DeliveryTry): void {
    this.exec(
      "UPDATE sender SET last_success_at = ?, failures = 0, failing_since = NULL, failed_events = 0 WHERE id = 1",
      at,
    );
  }

  private recordFailure({ at }: DeliveryTry, isFirstOfEvent: boolean): void {
    this.exec(
      `UPDATE sender SET last_failure_at = ?1, failures = failures + 1, failing_since = coalesce(failing_since, ?1),
         failed_events = failed_events + ?2 WHERE id = 1`,
      at,
      Number(isFirstOfEvent),
    );
  }

  failureRecord(): FailureRecord {
    const [row = {}] = this.exec("SELECT failing_since, failed_events FROM sender WHERE id = 1");
    return { failingSince: orNull(row["failing_since"]), failedEvents: Number(row["failed_events"]) };
  }

  /**
   * Queues again what was given up since the last success, and resets the failure counts, after the webhook was
   * enabled.
   */
  queueMissed(now: number): void {
    this.storage.transactionSync(() => {
      this.exec(
        `UPDATE OR IGNORE deliveries SET status = 'pending', failures = 0, next_try_at = ?1
         WHERE status = 'failed' AND seq IS NOT NULL AND seq > (SELECT start_seen FROM sender)
           AND EXISTS (SELECT 1 FROM tries t WHERE t.delivery = n AND t.at > coalesce((SELECT last_success_at FROM sender), 0))`,
        now,
      );
      this.exec("UPDATE sender SET failing_since = NULL, failed_events = 0, failures = 0 WHERE id = 1");
    });
  }

  health(): WebhookHealth {
    const [row = {}] = this.exec("SELECT last_success_at, last_failure_at, failures FROM sender WHERE id = 1");
    const [waiting = {}] = this.exec(
      "SELECT count(*) AS pending, min(next_try_at) AS next_try_at FROM deliveries WHERE status = 'pending'",
    );
    return {
      lastSuccessAt: orNull(row["last_success_at"]),
      lastFailureAt: orNull(row["last_failure_at"]),
      failures: Number(row["failures"]),
      pending: Number(waiting["pending"]),
      nextTryAt: orNull(waiting["next_try_at"]),
    };
  }

  page(query: {
    readonly status: DeliveryStatus | null;
    readonly before: string | null;
    readonly limit: number;
  }): DeliveryPage {
    const before = query.before === null ? Number.MAX_SAFE_INTEGER : (this.fromId(query.before) ?? 0);
    const rows = this.exec(
      `SELECT n, event_id, type, subject_id, status, created_at, next_try_at FROM deliveries
       WHERE n < ?1 AND (?2 IS NULL OR status = ?2) ORDER BY n DESC LIMIT ?3`,
      before,
      query.status,
      query.limit + 1,
    );
    const deliveries = rows.slice(0, query.limit).map((row) => this.toSummary(row));
    return { deliveries, next: rows.length > query.limit ? (deliveries.at(-1)?.id ?? null) : null };
  }

  find(id: string): Delivery | null {
    const [row] = this.exec("SELECT * FROM deliveries WHERE n = ?", this.fromId(id));
    return row ? { ...this.toSummary(row), body: String(row["body"]) } : null;
  }

  numberOf(id: string): number | null {
    const [row] = this.exec("SELECT n FROM deliveries WHERE n = ?", this.fromId(id));
    return orNull(row?.["n"]);
  }

  private toSummary(row: Row): DeliverySummary {
    const n = Number(row["n"]);
    return {
      id: this.toId(n),
      eventId: String(row["event_id"]),
      eventType: row["type"] as EventType,
      subjectId: String(row["subject_id"]),
      status: row["status"] as DeliveryStatus,
      createdAt: Number(row["created_at"]),
      tries: this.exec("SELECT * FROM tries WHERE delivery = ? ORDER BY number", n).map(toTry),
      nextTryAt: orNull(row["next_try_at"]),
    };
  }

  erase(subjectIds: readonly string[]): void {
    this.erasures += 1;
    this.storage.transactionSync(() => {
      const ids = JSON.stringify(subjectIds);
      const chosen = "SELECT n FROM deliveries WHERE subject_id IN (SELECT value FROM json_each(?))";
      this.exec(`DELETE FROM tries WHERE delivery IN (${chosen})`, ids);
      this.exec(`DELETE FROM deliveries WHERE n IN (${chosen})`, ids);
    });
  }

  /** Deletes what is older than an instant. The oldest rows come first, so no search is needed. */
  expire(createdBefore: number): void {
    this.storage.transactionSync(() => {
      const oldest = `SELECT n FROM (SELECT n, created_at FROM deliveries ORDER BY n LIMIT ${EXPIRE_AT_ONCE}) WHERE created_at < ?`;
      this.exec(`DELETE FROM tries WHERE delivery IN (${oldest})`, createdBefore);
      this.exec(`DELETE FROM deliveries WHERE n IN (${oldest})`, createdBefore);
    });
  }

  oldestCreatedAt(): number | null {
    const [row] = this.exec("SELECT created_at FROM deliveries ORDER BY n LIMIT 1");
    return orNull(row?.["created_at"]);
  }
}

function toTry(row: Row): DeliveryTry {
  return {
    at: Number(row["at"]),
    durationMs: Number(row["duration_ms"]),
    status: orNull(row["status"]),
    error: row["error"] === null ? null : String(row["error"]),
    response: String(row["response"]),
  };
}
