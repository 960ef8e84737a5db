import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

interface Answer {
  readonly results: Record<string, unknown>[];
  readonly success: boolean;
  readonly meta: Record<string, unknown>;
}

function literal(value: unknown): string {
  switch (typeof value) {
    case "number":
    case "bigint":
      return String(value);
    case "boolean":
      return value ? "1" : "0";
    case "string":
      // SQLite knows no escapes: a doubled quote is the only one, and a NUL would end the text.
      return `'${value.replaceAll("\0", "").replaceAll("'", "''")}'`;
    default:
      if (value === null || value === undefined) {
        return "NULL";
      }
      throw new TypeError(`cannot write a ${typeof value} into SQL`);
  }
}

/** Parameters written into the text, because `wrangler d1 execute` takes none. */
function inline(sql: string, values: readonly unknown[]): string {
  let next = 0;
  return sql.replaceAll(/\?(\d*)/g, (_, number: string) =>
    literal(values[number === "" ? next++ : Number(number) - 1]),
  );
}

class Statement {
  readonly #execute: (sql: string) => Promise<Answer[]>;
  readonly #sql: string;
  readonly #values: readonly unknown[];

  constructor(execute: (sql: string) => Promise<Answer[]>, sql: string, values: readonly unknown[] = []) {
    this.#execute = execute;
    this.#sql = sql;
    this.#values = values;
  }

  get text(): string {
    return inline(this.#sql, this.#values);
  }

  bind(...values: unknown[]): Statement {
    return new Statement(this.#execute, this.#sql, values);
  }

  async all(): Promise<Answer> {
    const [answer] = await this.#execute(this.text);
    return answer ?? { results: [], success: true, meta: {} };
  }

  run(): Promise<Answer> {
    return this.all();
  }

  async first(): Promise<Record<string, unknown> | null> {
    return (await this.all()).results[0] ?? null;
  }

  async raw(): Promise<unknown[][]> {
    return (await this.all()).results.map((row) => Object.values(row));
  }
}

/** The database behind `wrangler d1 execute`, local or remote, with as much of the binding as the verbs use. */
export function wranglerD1(flags: readonly string[]): D1Database {
  const execute = async (sql: string): Promise<Answer[]> => {
    const { stdout } = await run(
      "node_modules/.bin/wrangler",
      ["d1", "execute", "DB", "--json", "--command", sql, ...flags],
      {
        maxBuffer: 64 * 1024 * 1024,
      },
    );
    return JSON.parse(stdout.slice(stdout.indexOf("["))) as Answer[];
  };
  const database = {
    prepare: (sql: string) => new Statement(execute, sql),
    batch: (statements: Statement[]) => execute(statements.map((statement) => statement.text).join(";\n")),
  };
  return database as unknown as D1Database;
}
