import type { EventType } from "#core/event-type.ts";
import { batch, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import type { EventRow } from "./read-event.ts";

export interface EventPage {
  /** Oldest first. */
  readonly rows: readonly EventRow[];
  /** Every event up to this number was scanned. */
  readonly lastSeq: number;
  readonly hasMore: boolean;
  /** Whether the workspace records events. */
  readonly recording: boolean;
}

/** Bounds the events that are scanned, not those that match, so that a page of a rare type does not read the whole log. */
const MAX_SCANNED = 1000;

/** The events of the workspace after a number: one range of the primary key. */
export async function selectEvents(
  db: Db,
  query: {
    readonly workspaceId: string;
    readonly after: number;
    readonly limit: number;
    /** Null for all types. */
    readonly types: readonly EventType[] | null;
  },
): Promise<EventPage> {
  const { found, scanned, log } = await batch(db, eventPageStatements(db, query));
  const foundRows = found.results;
  const rows = foundRows.slice(0, query.limit);
  const isCut = foundRows.length > query.limit;
  const [end] = scanned.results;
  const lastFound = rows.at(-1)?.seq ?? query.after;
  return {
    rows,
    lastSeq: isCut ? lastFound : (end?.last_seq ?? lastFound),
    hasMore: isCut || (end?.scanned ?? 0) >= MAX_SCANNED,
    recording: log.results.length > 0,
  };
}

function eventPageStatements(db: Db, { workspaceId, after, limit, types }: Parameters<typeof selectEvents>[1]) {
  const range = `SELECT workspace_id, seq, type, at, data FROM events WHERE workspace_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ${MAX_SCANNED}`;
  return {
    found: withRows<EventRow>(
      types === null
        ? db.d1
            .prepare(
              "SELECT workspace_id, seq, type, at, data FROM events WHERE workspace_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3",
            )
            .bind(workspaceId, after, limit + 1)
        : db.d1
            .prepare(`SELECT * FROM (${range}) WHERE type IN (SELECT value FROM json_each(?4)) ORDER BY seq LIMIT ?3`)
            .bind(workspaceId, after, limit + 1, JSON.stringify(types)),
    ),
    scanned:
      types === null
        ? undefined
        : withRows<{ readonly last_seq: number; readonly scanned: number }>(
            db.d1
              .prepare(
                `SELECT max(seq) AS last_seq, count(*) AS scanned FROM (
               SELECT seq FROM events WHERE workspace_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ${MAX_SCANNED})`,
              )
              .bind(workspaceId, after),
          ),
    log: db.d1.prepare("SELECT 1 FROM event_logs WHERE workspace_id = ? AND recording").bind(workspaceId),
  };
}

export async function findEventRow(db: Db, workspaceId: string, seq: number): Promise<EventRow | null> {
  return await db.d1
    .prepare("SELECT workspace_id, seq, type, at, data FROM events WHERE workspace_id = ? AND seq = ?")
    .bind(workspaceId, seq)
    .first<EventRow>();
}
