import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { StatementSplitter } from "../../scripts/backup/sql-file.ts";
import { Refusal } from "./cloudflare-refusal.ts";
import { refusedShapes } from "./d1-refused-shapes.ts";

interface StatementResult {
  readonly results: readonly unknown[];
  readonly success: true;
  readonly meta: { readonly duration: number; readonly rows_read: number; readonly rows_written: number };
}

/** One statement of a call, with its parameters. */
export interface Query {
  readonly sql: string;
  readonly params?: readonly SQLInputValue[];
}

/** What D1 allows. */
const MAX_STATEMENT_BYTES = 100_000;
const MAX_PARAMS = 100;
const MAX_TEXT_BYTES = 2_000_000;
const DAY_MS = 86_400_000;
const TIME_TRAVEL_DAYS = 30;

/** An answer of the import endpoint. */
export interface ImportAnswer {
  readonly success: boolean;
  readonly type: "import";
  readonly status: "active" | "complete" | "error";
  readonly messages: readonly string[];
  readonly at_bookmark?: string;
  readonly error?: string;
  readonly result?: object;
}

/** An import is put back as a whole, and takes no transactions of the file itself (cloudflare/workers-sdk 13272). */
function assertImportable(statement: string): void {
  if (Buffer.byteLength(statement) > MAX_STATEMENT_BYTES) {
    throw new Error("statement too long: SQLITE_TOOBIG");
  }
  if (/^(?:\s|--[^\n]*\n)*(?:BEGIN|COMMIT|ROLLBACK|SAVEPOINT)\b/i.test(statement)) {
    throw new Error("To execute a transaction, please use the storage API instead of BEGIN TRANSACTION: SQLITE_AUTH");
  }
}

interface Moment {
  readonly at: number;
  readonly bookmark: string;
  readonly file: string;
}

/** A D1 database: real SQLite. All statements of one call are one transaction, as D1 does it. */
export class D1Database {
  readonly uuid: string;
  readonly name: string;
  readonly location: string | undefined;
  readonly jurisdiction: string | null;
  sqlite = new DatabaseSync(":memory:");
  #changes = 0;
  readonly #moments: Moment[] = [];
  #folder: string | undefined;
  #import: { readonly at_bookmark: string; readonly answer: ImportAnswer } | null = null;
  #export: { readonly bookmark: string; readonly dump: string } | null = null;

  constructor(uuid: string, name: string, location: string | undefined, jurisdiction: string | null = null) {
    this.uuid = uuid;
    this.name = name;
    this.location = location;
    this.jurisdiction = jurisdiction;
  }

  get bookmark(): string {
    return `${String(this.#changes).padStart(8, "0")}-00000000-00000000-${this.uuid.replaceAll("-", "")}`;
  }

  /** A call of the API, which splits the text on its side and refuses what was reported of it. */
  queryByApi(...queries: readonly Query[]): StatementResult[] {
    if (queries.some(({ sql }) => refusedShapes(sql).length > 0)) {
      throw new Refusal(400, 7500, "incomplete input: SQLITE_ERROR");
    }
    return this.query(...queries);
  }

  query(...queries: readonly (string | Query)[]): StatementResult[] {
    this.sqlite.exec("BEGIN");
    try {
      const results = queries.flatMap((query) => (typeof query === "string" ? this.#run(query) : this.#runOne(query)));
      this.sqlite.exec("COMMIT");
      this.#changes += 1;
      return results;
    } catch (error) {
      this.sqlite.exec("ROLLBACK");
      throw new Refusal(400, 7500, `${error instanceof Error ? error.message : "unknown"}: SQLITE_ERROR`);
    }
  }

  /** Begins an import, which blocks the database until it is over; one that fails leaves the database as it was. */
  beginImport(sql: string): ImportAnswer {
    const at = this.bookmark;
    this.#import = { at_bookmark: at, answer: this.#runImport(sql) };
    return { success: true, type: "import", status: "active", at_bookmark: at, messages: ["Starting import..."] };
  }

  pollImport(bookmark: string): ImportAnswer {
    if (this.#import?.at_bookmark !== bookmark) {
      throw new Refusal(400, 7400, "not currently importing anything");
    }
    return this.#import.answer;
  }

  #runImport(sql: string): ImportAnswer {
    const common = { type: "import", messages: [] } as const;
    try {
      for (const statement of new StatementSplitter().push(sql, true)) {
        assertImportable(statement);
      }
      const count = this.query(sql).length;
      const meta = { duration: 0.1, rows_read: 0, rows_written: 0, size_after: 4096 };
      const result = { num_queries: count, final_bookmark: this.bookmark, meta };
      return { ...common, success: true, status: "complete", result };
    } catch (error) {
      return { ...common, success: false, status: "error", error: error instanceof Error ? error.message : "unknown" };
    }
  }

  #run(sql: string): StatementResult[] {
    const results: StatementResult[] = [];
    for (let rest = sql; rest.replaceAll(/--[^\n]*|\s|;/g, "") !== "";) {
      const statement = this.sqlite.prepare(rest);
      results.push({ results: statement.all(), success: true, meta: { duration: 0.1, rows_read: 0, rows_written: 0 } });
      rest = rest.slice(statement.sourceSQL.length);
    }
    return results;
  }

  #runOne({ sql, params = [] }: Query): StatementResult[] {
    const tooLong = params.some((value) => typeof value === "string" && Buffer.byteLength(value) > MAX_TEXT_BYTES);
    if (Buffer.byteLength(sql) > MAX_STATEMENT_BYTES || params.length > MAX_PARAMS || tooLong) {
      throw new Error("statement too long, or too many or too large parameters");
    }
    if (params.length === 0) {
      return this.#run(sql);
    }
    const results = this.sqlite.prepare(sql).all(...params);
    return [{ results, success: true, meta: { duration: 0.1, rows_read: 0, rows_written: 0 } }];
  }

  /** Remembers this state, as Time Travel does by itself every minute. */
  remember(at: number): void {
    this.#folder ??= mkdtempSync(path.join(tmpdir(), "almanac-d1-"));
    const file = path.join(this.#folder, `${this.#moments.length}.sqlite`);
    this.sqlite.prepare("VACUUM INTO ?").run(file);
    this.#moments.push({ at, bookmark: this.bookmark, file });
  }

  /** The bookmark of the last state that was remembered at or before that time. */
  bookmarkAt(at: number): string {
    const moment = this.#moments.findLast((one) => one.at <= at);
    if (moment === undefined || at < Date.now() - TIME_TRAVEL_DAYS * DAY_MS) {
      throw new Refusal(400, 7400, "the timestamp is before the oldest point of Time Travel");
    }
    return moment.bookmark;
  }

  travelTo(bookmark: string): { bookmark: string; previous_bookmark: string; message: string } {
    const moment = this.#moments.find((one) => one.bookmark === bookmark);
    if (moment === undefined) {
      throw new Refusal(400, 7400, "the bookmark is invalid");
    }
    const previous = this.bookmark;
    const copy = `${moment.file}.${this.#changes}`;
    const remembered = new DatabaseSync(moment.file, { readOnly: true });
    remembered.prepare("VACUUM INTO ?").run(copy);
    remembered.close();
    this.sqlite.close();
    this.sqlite = new DatabaseSync(copy);
    this.#changes += 1;
    return { bookmark: this.bookmark, previous_bookmark: previous, message: "Database restored successfully" };
  }

  /** An export is asked for again and again until it is complete; it is of the moment at which it began. */
  export(current: string | undefined): { readonly status: string; readonly at_bookmark: string } {
    if (current === undefined || this.#export?.bookmark !== current) {
      this.#export = { bookmark: this.bookmark, dump: this.dump() };
      return { status: "active", at_bookmark: this.bookmark };
    }
    return { status: "complete", at_bookmark: current };
  }

  get exported(): string | null {
    return this.#export?.dump ?? null;
  }

  /** All that is in the database, as statements. */
  dump(): string {
    const objects = this.sqlite
      .prepare(
        "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type = 'table' DESC, rowid",
      )
      .all() as { type: string; name: string; sql: string }[];
    const tables = objects.filter(({ type }) => type === "table");
    const rows = tables.flatMap(({ name }) => {
      const columns = (this.sqlite.prepare(`PRAGMA table_info("${name}")`).all() as { name: string }[]).map(
        (column) => `"${column.name}"`,
      );
      const values = columns.map((column) => `quote(${column})`).join(" || ',' || ");
      const list = this.sqlite.prepare(`SELECT ${values} AS text FROM "${name}"`).all() as { text: string }[];
      return list.map(({ text }) => `INSERT INTO "${name}" (${columns.join(",")}) VALUES(${text});`);
    });
    const rest = objects.filter(({ type }) => type !== "table");
    return [
      "PRAGMA defer_foreign_keys=TRUE;",
      ...tables.map(({ sql }) => `${sql};`),
      ...rows,
      ...rest.map(({ sql }) => `${sql};`),
    ].join("\n");
  }

  close(): void {
    this.sqlite.close();
    if (this.#folder !== undefined) {
      rmSync(this.#folder, { recursive: true });
    }
  }

  /** The names of the applied migrations. */
  get migrations(): readonly unknown[] {
    const hasTable = this.rows("SELECT 1 FROM sqlite_master WHERE name = 'd1_migrations'").length === 1;
    return hasTable ? this.rows("SELECT name FROM d1_migrations ORDER BY id") : [];
  }

  /** Rows of one query, for tests. */
  rows(sql: string): readonly unknown[] {
    return this.sqlite.prepare(sql).all();
  }
}
