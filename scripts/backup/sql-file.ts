import { createReadStream } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/**
 * Splits SQL into statements, even if a text contains a semicolon or a trigger contains statements. A part may end
 * anywhere.
 */
export class StatementSplitter {
  #rest = "";
  /** How far `#rest` was examined. Further members: the quote that is open there, and where the statement begins. */
  #at = 0;
  #quote = "";

  *push(part: string, isLast = false): Generator<string> {
    this.#rest += part;
    let start = 0;
    const token = /['"`]|;|--/g;
    for (;;) {
      if (this.#quote !== "") {
        const end = this.#rest.indexOf(this.#quote, this.#at);
        if (end === -1) {
          this.#at = this.#rest.length;
          break;
        }
        // A doubled quote ends the text and starts it again, so it needs no special case.
        this.#at = end + this.#quote.length;
        this.#quote = "";
        continue;
      }
      token.lastIndex = this.#at;
      const found = token.exec(this.#rest);
      if (found === null) {
        // The last character may be the first half of a comment's beginning, so examine it again.
        this.#at = Math.max(this.#at, this.#rest.length - 1);
        break;
      }
      this.#at = token.lastIndex;
      if (found[0] === "--") {
        this.#quote = "\n";
      } else if (found[0] !== ";") {
        this.#quote = found[0];
      } else {
        const statement = this.#rest.slice(start, this.#at);
        if (isWhole(statement)) {
          yield statement;
          start = this.#at;
        }
      }
    }
    this.#rest = this.#rest.slice(start);
    this.#at -= start;
    if (isLast && this.#rest.trim() !== "") {
      yield this.#rest;
    }
  }
}

/**
 * Whether a statement is complete. A trigger ends with the END after its statements; CASE has an END too, but no
 * semicolon before it.
 */
const isWhole = (statement: string): boolean =>
  !/^(?:\s|--[^\n]*\n)*CREATE\s+(?:TEMP\w*\s+)?TRIGGER\b/i.test(statement) || /;\s*END\s*;$/i.test(statement);

/** Makes a SQLite file from a dump of any size. */
export async function loadSqlFile(dump: string, file: string): Promise<void> {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  try {
    database.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
    const splitter = new StatementSplitter();
    const execute = (statements: Iterable<string>): void => {
      for (const statement of statements) {
        if (!/^\s*(?:PRAGMA|BEGIN|COMMIT)\b/i.test(statement)) {
          database.exec(statement);
        }
      }
    };
    for await (const part of createReadStream(dump, { encoding: "utf8", highWaterMark: 1 << 20 })) {
      execute(splitter.push(part as string));
    }
    execute(splitter.push("", true));
    database.exec("COMMIT");
  } finally {
    database.close();
  }
}
