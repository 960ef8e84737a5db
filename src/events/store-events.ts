import type { EventType } from "#core/event-type.ts";
import { MAX_PAGE_BYTES } from "#core/page-bytes.ts";
import { batch, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { cutTextsSql } from "#db/cut-texts.ts";
import type { EventRow } from "./read-event.ts";

export interface EventPage {
  /** The rows of this page, oldest first. */
  readonly rows: readonly EventRow[];
  /** The number up to which the events were examined, whether they matched or not. */
  readonly lastSeq: number;
  readonly hasMore: boolean;
  /** Whether the workspace records events. */
  readonly recording: boolean;
}

/** How many events a page examines at most, so that a page of a rare type does not read the whole log. */
const MAX_SCANNED = 1000;

interface EventQuery {
  readonly workspaceId: string;
  readonly after: number;
  readonly limit: number;
  /** The event types to return; null for all types. */
  readonly types: readonly EventType[] | null;
}

/** A row of a page whose texts the database has limited to a number of bytes. */
type CutEventRow = Omit<EventRow, "data"> & {
  /** The event's data. Null if the text is longer than its share of the page, or beyond the limit. */
  readonly data: string | null;
};

/**
 * Selects the workspace's events after a number, up to 4 MiB, as one range of the primary key. If an event exceeds its
 * share of the page, a second query lets the database cut the page. Cutting every page would read each row twice.
 */
export async function selectEvents(db: Db, query: EventQuery): Promise<EventPage> {
  const share = Math.floor(MAX_PAGE_BYTES / (query.limit + 1));
  const read = await readPage(db, query, { data: `iif(octet_length(data) <= ${share}, data, NULL)` });
  const page = read.found.results.some(({ data }) => data === null)
    ? await readPage(db, query, { data: "data", cut: cutEvents })
    : read;
  const foundRows = page.found.results;
  const end = foundRows.findIndex(({ data }) => data === null);
  const rows = foundRows.slice(0, end === -1 ? query.limit : Math.min(query.limit, end)) as readonly EventRow[];
  const isCut = foundRows.length > rows.length;
  const [scan] = page.scanned.results;
  const lastFound = rows.at(-1)?.seq ?? query.after;
  return {
    rows,
    lastSeq: isCut ? lastFound : (scan?.last_seq ?? lastFound),
    hasMore: isCut || (scan?.scanned ?? 0) >= MAX_SCANNED,
    recording: page.log.results.length > 0,
  };
}

const cutEvents = (sql: string) => cutTextsSql(sql, { text: "data", others: "workspace_id, seq, type, at" });

async function readPage(
  db: Db,
  { workspaceId, after, limit, types }: EventQuery,
  { data, cut = (sql) => sql }: { readonly data: string; readonly cut?: (sql: string) => string },
) {
  const range = (rows: string) =>
    `SELECT workspace_id, seq, type, at, ${data} AS data FROM events WHERE workspace_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ${rows}`;
  return await batch(db, {
    found: withRows<CutEventRow>(
      types === null
        ? db.d1.prepare(cut(range("?3"))).bind(workspaceId, after, limit + 1)
        : db.d1
            .prepare(
              cut(
                `SELECT * FROM (${range(String(MAX_SCANNED))}) WHERE type IN (SELECT value FROM json_each(?4)) ORDER BY seq LIMIT ?3`,
              ),
            )
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
  });
}

export async function findEventRow(db: Db, workspaceId: string, seq: number): Promise<EventRow | null> {
  return await db.d1
    .prepare("SELECT workspace_id, seq, type, at, data FROM events WHERE workspace_id = ? AND seq = ?")
    .bind(workspaceId, seq)
    .first<EventRow>();
}
