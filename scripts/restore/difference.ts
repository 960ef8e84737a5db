import { DatabaseSync } from "node:sqlite";
import { quoted, type Table, tablesOf } from "./sqlite-file.ts";
import { ruleFor } from "./table-rules.ts";

/** One statement with its only parameter: a list of rows as JSON. */
interface Statement {
  readonly sql: string;
  readonly rows: string;
}

/** The statements of one transaction. */
type Batch = readonly Statement[];

/** D1 takes two megabytes as a parameter; a batch stays well below what a call may hold. */
const MAX_BATCH_CHARACTERS = 600_000;
const MAX_ROWS = 500;

type Value = string | number | null | Uint8Array;

/** A column of a row in JSON; bytes, which JSON has not, as hexadecimal text. */
const toJson = (value: unknown): unknown => (value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value);

const at = (index: number): string => `value ->> ${index}`;

function selectRows({ columns }: Table, blobs: ReadonlySet<string>): string {
  return columns.map((column, index) => (blobs.has(column) ? `unhex(${at(index)})` : at(index))).join(", ");
}

function blobColumns(database: DatabaseSync, table: string): ReadonlySet<string> {
  const columns = database.prepare(`PRAGMA main.table_info("${table}")`).all() as { name: string; type: string }[];
  return new Set(columns.filter(({ type }) => type.toLowerCase() === "blob").map(({ name }) => name));
}

/** Groups rows so that each group fits into one statement. */
function* grouped<T>(rows: Iterable<T>, sizeOf: (row: T) => number): Generator<T[]> {
  let group: T[] = [];
  let size = 0;
  for (const row of rows) {
    const rowSize = sizeOf(row);
    if (group.length > 0 && (group.length >= MAX_ROWS || size + rowSize > MAX_BATCH_CHARACTERS)) {
      yield group;
      group = [];
      size = 0;
    }
    group.push(row);
    size += rowSize;
  }
  if (group.length > 0) {
    yield group;
  }
}

const valuesOf = ({ columns }: Table, row: Record<string, Value>): unknown[] =>
  columns.map((column) => toJson(row[column] ?? null));

const jsonOf = (rows: readonly string[]): string => `[${rows.join(",")}]`;

/** Triggers index these tables on insert, update and delete, but not on `REPLACE`. */
const INDEXED_BY_TRIGGERS: ReadonlySet<string> = new Set(["drafts", "post_annotations"]);

function writeStatement({ name, columns, key }: Table, selected: string): string {
  const all = quoted(columns);
  if (!INDEXED_BY_TRIGGERS.has(name)) {
    return `INSERT OR REPLACE INTO "${name}" (${all}) SELECT ${selected} FROM json_each(?1)`;
  }
  const changes = columns
    .filter((column) => !key.includes(column))
    .map((column) => `"${column}" = excluded."${column}"`);
  return `INSERT INTO "${name}" (${all}) SELECT ${selected} FROM json_each(?1) WHERE true ON CONFLICT (${quoted(key)}) DO UPDATE SET ${changes.join(", ")}`;
}

function* tableBatches(database: DatabaseSync, table: Table): Generator<Batch> {
  const { name, columns, key } = table;
  const all = quoted(columns);
  const keys = quoted(key);
  const gone = database
    .prepare(`SELECT ${keys} FROM current."${name}" EXCEPT SELECT ${keys} FROM main."${name}"`)
    .iterate() as Iterable<Record<string, Value>>;
  const goneJson = Iterator.from(gone).map((row) => JSON.stringify(key.map((column) => toJson(row[column]))));
  for (const group of grouped(goneJson, (row) => row.length)) {
    const selected = key.map((_, index) => at(index)).join(", ");
    yield [
      { sql: `DELETE FROM "${name}" WHERE (${keys}) IN (SELECT ${selected} FROM json_each(?1))`, rows: jsonOf(group) },
    ];
  }
  const changed = database
    .prepare(`SELECT ${all} FROM main."${name}" EXCEPT SELECT ${all} FROM current."${name}"`)
    .iterate() as Iterable<Record<string, Value>>;
  const blobs = blobColumns(database, name);
  for (const group of grouped(
    Iterator.from(changed).map((row) => JSON.stringify(valuesOf(table, row))),
    (row) => row.length,
  )) {
    yield [{ sql: writeStatement(table, selectRows(table, blobs)), rows: jsonOf(group) }];
  }
}

interface ChangedPost {
  readonly id: string;
  /** The row as it was read: the next pass writes a row that has changed since. */
  readonly seen: readonly [version: number, status: string] | null;
  readonly post: string | null;
  readonly targets: readonly string[];
  readonly media: readonly string[];
}

function* changedPosts(database: DatabaseSync, tables: ReadonlyMap<string, Table>): Generator<ChangedPost> {
  const names = ["posts", "post_targets", "post_media"] as const;
  const differing = names.flatMap((name) => {
    const columns = quoted(tables.get(name)?.columns ?? []);
    const id = name === "posts" ? "id" : "post_id";
    const except = (a: string, b: string) =>
      `SELECT ${id} AS id FROM (SELECT ${columns} FROM ${a}."${name}" EXCEPT SELECT ${columns} FROM ${b}."${name}")`;
    return [except("main", "current"), except("current", "main")];
  });
  const ids = database.prepare(`SELECT DISTINCT id FROM (${differing.join(" UNION ALL ")}) ORDER BY id`).all();
  const seen = database.prepare("SELECT version, status FROM current.posts WHERE id = ?");
  const read = names.map((name) =>
    database.prepare(`SELECT * FROM main."${name}" WHERE ${name === "posts" ? "id" : "post_id"} = ?`),
  );
  const rowsOf = (name: (typeof names)[number], id: string): string[] => {
    const table = tables.get(name);
    const rows = (read[names.indexOf(name)]?.all(id) ?? []) as Record<string, Value>[];
    return table === undefined ? [] : rows.map((row) => JSON.stringify(valuesOf(table, row)));
  };
  for (const { id } of ids as { id: string }[]) {
    const now = seen.get(id) as { version: number; status: string } | undefined;
    const [post] = rowsOf("posts", id);
    yield {
      id,
      seen: now === undefined ? null : [now.version, now.status],
      post: post ?? null,
      targets: rowsOf("post_targets", id),
      media: rowsOf("post_media", id),
    };
  }
}

/** Changes a post and its targets in one transaction, unless the post has changed since it was read. */
function postBatch(group: readonly ChangedPost[], tables: ReadonlyMap<string, Table>): Batch {
  const expected = JSON.stringify(group.map(({ id, seen }) => [id, ...(seen ?? [null, null])]));
  const asRead = (id: string) =>
    `${id} IN (SELECT e.value ->> 0 FROM json_each(?1, '$.expected') e LEFT JOIN posts x ON x.id = e.value ->> 0
       WHERE x.version IS e.value ->> 1 AND x.status IS e.value ->> 2)`;
  const parameter = (rows: readonly string[]): string => `{"expected":${expected},"rows":${jsonOf(rows)}}`;
  const statements = (["post_targets", "post_media"] as const).flatMap((name) => {
    const table = tables.get(name);
    if (table === undefined) {
      return [];
    }
    const rows = group.flatMap((post) => (name === "post_targets" ? post.targets : post.media));
    const idAt = at(table.columns.indexOf("post_id"));
    return [
      { sql: `DELETE FROM "${name}" WHERE ${asRead("post_id")}`, rows: parameter([]) },
      {
        sql: `INSERT INTO "${name}" (${quoted(table.columns)}) SELECT ${selectRows(table, new Set())} FROM json_each(?1, '$.rows') WHERE ${asRead(idAt)}`,
        rows: parameter(rows),
      },
    ];
  });
  const posts = tables.get("posts");
  const columns = posts?.columns ?? [];
  const updates = columns.filter((column) => column !== "id").map((column) => `"${column}" = excluded."${column}"`);
  const kept = group.flatMap(({ post }) => (post === null ? [] : [post]));
  const removed = JSON.stringify(group.filter(({ post }) => post === null).map(({ id }) => id));
  return [
    ...statements,
    {
      sql: `INSERT INTO posts (${quoted(columns)}) SELECT ${columns.map((_, index) => at(index)).join(", ")} FROM json_each(?1, '$.rows')
            WHERE ${asRead(at(columns.indexOf("id")))} ON CONFLICT (id) DO UPDATE SET ${updates.join(", ")}`,
      rows: parameter(kept),
    },
    {
      sql: `DELETE FROM posts WHERE id IN (SELECT value FROM json_each(?1, '$.removed')) AND ${asRead("id")}`,
      rows: `{"expected":${expected},"removed":${removed}}`,
    },
  ];
}

/** Written last, because triggers write them when posts are written; this also switches the recording of events on again. */
const EVENT_TABLES: ReadonlySet<string> = new Set(["event_logs", "events", "notices"]);

/** Which tables are written: posts with what belongs to them, the log of events, or all others. */
type Part = "accounts" | "posts" | "events";

/**
 * The statements that turn the state in the file `current` into the state in the file `target`, in batches of bounded size; each batch is
 * one transaction. After an interruption, the difference of the two files is what is left to do.
 */
export function* differenceBatches(current: string, target: string, part: Part): Generator<Batch> {
  const database = new DatabaseSync(target, { readOnly: true });
  try {
    database.prepare("ATTACH ? AS current").run(current);
    const tables = tablesOf(database);
    if (part === "posts") {
      const byName = new Map(tables.map((table) => [table.name, table]));
      const size = ({ post, targets, media }: ChangedPost) =>
        (post?.length ?? 0) + [...targets, ...media].reduce((sum, row) => sum + row.length, 0) + 100;
      for (const group of grouped(changedPosts(database, byName), size)) {
        yield postBatch(group, byName);
      }
      return;
    }
    const single = tables.filter(({ name }) => !["whole_posts", "counted", "own"].includes(ruleFor(name).kind));
    for (const table of single.filter(({ name }) => EVENT_TABLES.has(name) === (part === "events"))) {
      yield* tableBatches(database, table);
    }
  } finally {
    database.close();
  }
}
