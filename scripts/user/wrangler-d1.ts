import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

interface D1Output {
  readonly results: Record<string, unknown>[];
  readonly success: boolean;
  readonly meta: Record<string, unknown>;
}

function toSqlLiteral(value: unknown): string {
  switch (typeof value) {
    case "number":
    case "bigint":
      return String(value);
    case "boolean":
      return value ? "1" : "0";
    case "string":
      // In SQLite a doubled quote is the only escape, and NUL would end the string.
      return `'${value.replaceAll("\0", "").replaceAll("'", "''")}'`;
    default:
      if (value === null || value === undefined) {
        return "NULL";
      }
      throw new TypeError(`cannot write a ${typeof value} into SQL`);
  }
}

/** Writes parameters into the SQL text, because `wrangler d1 execute` does not accept them. */
function inlineParameters(sql: string, values: readonly unknown[]): string {
  let next = 0;
  return sql.replaceAll(/\?(\d*)/g, (_, number: string) =>
    toSqlLiteral(values[number === "" ? next++ : Number(number) - 1]),
  );
}

class Statement {
  readonly #execute: (sql: string) => Promise<D1Output[]>;
  readonly #sql: string;
  readonly #values: readonly unknown[];

  constructor(execute: (sql: string) => Promise<D1Output[]>, sql: string, values: readonly unknown[] = []) {
    this.#execute = execute;
    this.#sql = sql;
    this.#values = values;
  }

  get text(): string {
    return inlineParameters(this.#sql, this.#values);
  }

  bind(...values: unknown[]): Statement {
    return new Statement(this.#execute, this.#sql, values);
  }

  async all(): Promise<D1Output> {
    const [output] = await this.#execute(this.text);
    return output ?? { results: [], success: true, meta: {} };
  }

  run(): Promise<D1Output> {
    return this.all();
  }

  async first(): Promise<Record<string, unknown> | null> {
    return (await this.all()).results[0] ?? null;
  }

  async raw(): Promise<unknown[][]> {
    return (await this.all()).results.map((row) => Object.values(row));
  }
}

/** Only what the last deployment wrote names the deployed database; an environment of wrangler.toml is another one. */
function configFlags(flags: readonly string[]): readonly string[] {
  return flags.includes("--remote") && !flags.includes("--env") ? ["--config", "wrangler.deploy.toml"] : [];
}

/** wrangler could not execute the statements; the message is wrangler's. */
class DatabaseError extends Error {}

/** The error of a failed process names its arguments, which hold hashes of passwords, so that only wrangler's own words are passed on. */
async function runWrangler(args: readonly string[]): Promise<string> {
  try {
    return (await run("node_modules/.bin/wrangler", args, { maxBuffer: 64 * 1024 * 1024 })).stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { readonly stdout?: string; readonly stderr?: string };
    const reason = /"text":\s*"([^"]*)"/.exec(stdout)?.[1] ?? stderr.trim().split("\n")[0] ?? "";
    // Not its cause, which would be printed with it.
    throw new DatabaseError(`the database could not be asked: ${reason}`);
  }
}

/** A D1 binding over `wrangler d1 execute`, local or remote, with the methods that the use cases call. */
export function wranglerD1(flags: readonly string[]): D1Database {
  const execute = async (sql: string): Promise<D1Output[]> => {
    const stdout = await runWrangler([
      "d1",
      "execute",
      "DB",
      "--json",
      "--command",
      sql,
      ...flags,
      ...configFlags(flags),
    ]);
    return JSON.parse(stdout.slice(stdout.indexOf("["))) as D1Output[];
  };
  const database = {
    prepare: (sql: string) => new Statement(execute, sql),
    batch: (statements: Statement[]) => execute(statements.map((statement) => statement.text).join(";\n")),
  };
  return database as unknown as D1Database;
}
