/*
 * What D1 refuses and the local runtime allows (https://developers.cloudflare.com/d1/platform/limits/). The local one itself holds the
 * 100 parameters, the 100 KB of a statement and the 50 bytes of a pattern; test/db/d1-limits.test.ts plants a violation of each.
 */

const MAX_ARGUMENTS = 32;
const MAX_BYTES = 2_000_000;

/** Texts, quoted names and comments, whose commas and brackets are no syntax. */
const QUOTED = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|--[^\n]*|\/\*[\s\S]*?\*\//g;
/** A name before a bracket, with the word before it. */
const OPENED = /(?:\b(?<before>\w+)\s+)?\b(?<name>[a-z_]\w*)\s*$/i;
/** A name after one of these has columns. */
const NAMES_COLUMNS = new Set(["INTO", "TABLE", "ON", "REFERENCES", "WITH", "RECURSIVE", "EXISTS", "INDEX"]);
const NO_FUNCTIONS = new Set(["IN", "VALUES", "AS", "KEY", "UNIQUE", "CONFLICT", "SET", "SELECT", "CHECK", "OVER"]);

/** The function of a statement that has more arguments than D1 allows. */
export function functionWithTooManyArguments(sql: string): string | undefined {
  const text = sql.replace(QUOTED, (quoted) => (quoted.startsWith("'") ? "0" : "q"));
  const open: { readonly name: string | undefined; commas: number }[] = [];
  for (const { 0: sign, index } of text.matchAll(/[(),]/g)) {
    if (sign === "(") {
      const { before = "", name = "" } = OPENED.exec(text.slice(Math.max(0, index - 80), index))?.groups ?? {};
      const isFunction =
        name !== "" && !NAMES_COLUMNS.has(before.toUpperCase()) && !NO_FUNCTIONS.has(name.toUpperCase());
      open.push({ name: isFunction ? name : undefined, commas: 0 });
    } else if (sign === ",") {
      const inner = open.at(-1);
      if (inner) {
        inner.commas += 1;
      }
    } else {
      const closed = open.pop();
      if (closed?.name !== undefined && closed.commas >= MAX_ARGUMENTS) {
        return closed.name;
      }
    }
  }
  return undefined;
}

const bytesOf = (value: unknown): number => {
  // A character takes at most three bytes for each of its units.
  if (typeof value === "string") {
    return value.length * 3 <= MAX_BYTES ? value.length : new TextEncoder().encode(value).byteLength;
  }
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value) ? value.byteLength : 0;
};

function checkBytes(what: string, values: readonly unknown[]): void {
  if (values.reduce<number>((sum, value) => sum + bytesOf(value), 0) > MAX_BYTES) {
    throw new Error(`D1 allows ${MAX_BYTES} bytes: ${what} has more`);
  }
}

const checkedSql = new Set<string>();

/** Checks the text of a statement. */
function checkSql(sql: string): void {
  if (!checkedSql.has(sql)) {
    const name = functionWithTooManyArguments(sql);
    if (name !== undefined) {
      throw new Error(`D1 allows ${MAX_ARGUMENTS} arguments: ${name} has more in ${sql}`);
    }
    checkedSql.add(sql);
  }
}

const holding = new WeakSet<object>();

/** Makes a binding, and every other one of its class, refuse what D1 refuses. */
export function holdD1Limits(d1: D1Database): void {
  const database = Object.getPrototypeOf(d1) as D1Database;
  if (holding.has(database)) {
    return;
  }
  holding.add(database);
  const statement = Object.getPrototypeOf(d1.prepare("SELECT 1")) as D1PreparedStatement;
  // oxlint-disable-next-line typescript/unbound-method -- called with the binding below
  const { prepare, batch } = database;
  // oxlint-disable-next-line typescript/unbound-method -- called with the statement below
  const { bind, all, run, first, raw } = statement;
  const checkResult = <R extends D1Result>(result: R): R => {
    for (const row of result.results) {
      checkBytes("a row of a result", Object.values(row as object));
    }
    return result;
  };
  Object.assign(database, {
    prepare(this: D1Database, sql: string) {
      checkSql(sql);
      return prepare.call(this, sql);
    },
    async batch(this: D1Database, statements: D1PreparedStatement[]) {
      return (await batch.call(this, statements)).map(checkResult);
    },
  });
  Object.assign(statement, {
    bind(this: D1PreparedStatement, ...values: unknown[]) {
      for (const value of values) {
        checkBytes("a parameter", [value]);
      }
      return bind.call(this, ...values);
    },
    async all(this: D1PreparedStatement) {
      return checkResult(await all.call(this));
    },
    async run(this: D1PreparedStatement) {
      return checkResult(await run.call(this));
    },
    async first(this: D1PreparedStatement, column?: string) {
      const row = await first.call(this);
      checkBytes("a row of a result", Object.values(row ?? {}));
      return row === null || column === undefined ? row : (row as Record<string, unknown>)[column];
    },
    async raw(this: D1PreparedStatement, options?: { columnNames?: false }) {
      const rows = await raw.call(this, options as { columnNames?: false });
      for (const row of rows) {
        checkBytes("a row of a result", row as unknown[]);
      }
      return rows;
    },
  });
}
