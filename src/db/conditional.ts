import { type Db, openDb } from "./client.ts";
import { isLostResponse, isUnmetCondition, UNMET_CONDITION } from "./errors.ts";

/** A connection on which nothing runs unless a condition holds; D1 decides it together with the first call that it answers. */
export interface ConditionalDb {
  readonly db: Db;
  /** Whether the condition held. Asks D1 unless that is known. */
  isMet(): Promise<boolean>;
  /** Throws unless the condition held. */
  assertMet(): Promise<void>;
  /** Whether D1 may have run a call of which the answer was lost: then what was begun must not be begun again. */
  mayHaveRun(): boolean;
}

type Statements = readonly D1PreparedStatement[];

/**
 * A statement that fails unless `holds`, an SQL expression, is true; a failed statement undoes its whole batch. `name` is in the text
 * of the error.
 */
export function failUnless(holds: string, name: string = UNMET_CONDITION): string {
  return `SELECT json_extract('{}', CASE WHEN ${holds} THEN '$' ELSE '${name}' END)`;
}

/** `condition` makes the statement that leads the first call; `failUnless` writes its SQL. */
export function openConditionalDb({ d1 }: Db, condition: () => D1PreparedStatement): ConditionalDb {
  const conditional = new ConditionalD1(d1, condition);
  return {
    db: openDb(conditional as unknown as Db["d1"]),
    isMet: () => conditional.isMet(),
    assertMet: () => conditional.assertMet(),
    mayHaveRun: () => conditional.mayHaveRun,
  };
}

class ConditionalD1 {
  state: "unknown" | "met" | "unmet" = "unknown";
  mayHaveRun = false;
  readonly #d1: Db["d1"];
  readonly #condition: () => D1PreparedStatement;
  /** Settles with the call that is finding out. Other calls wait for it, so that no write can precede a failed condition. */
  #asking: Promise<void> | undefined;

  constructor(d1: Db["d1"], condition: () => D1PreparedStatement) {
    this.#d1 = d1;
    this.#condition = condition;
  }

  prepare(sql: string): ConditionalStatement {
    return new ConditionalStatement(this.#d1.prepare(sql), this);
  }

  async batch(wrapped: readonly ConditionalStatement[]): Promise<D1Result[]> {
    const statements = wrapped.map(({ statement }) => statement);
    return (await this.runFirst(statements)) ?? this.#d1.batch(statements);
  }

  /** Runs the statements behind the condition; null when it is known to be met, and the caller may run them as they are. */
  async runFirst(statements: Statements): Promise<D1Result[] | null> {
    while (this.#asking !== undefined) {
      await this.#asking;
    }
    if (this.state === "met") {
      return null;
    }
    if (this.state === "unmet") {
      throw new Error(UNMET_CONDITION);
    }
    const answer = this.#ask(statements);
    const forget = () => {
      this.#asking = undefined;
    };
    this.#asking = answer.then(forget, forget);
    return answer;
  }

  async #ask(statements: Statements): Promise<D1Result[]> {
    try {
      const [, ...results] = await this.#d1.batch([this.#condition(), ...statements]);
      this.state = "met";
      return results;
    } catch (error) {
      if (isUnmetCondition(error)) {
        this.state = "unmet";
      }
      // Of a batch that failed otherwise nothing was executed, and the next call asks again.
      this.mayHaveRun ||= statements.length > 0 && isLostResponse(error);
      throw error;
    }
  }

  async assertMet(): Promise<void> {
    if (this.state !== "met") {
      await this.runFirst([]);
    }
  }

  async isMet(): Promise<boolean> {
    try {
      await this.assertMet();
    } catch (error) {
      if (!isUnmetCondition(error)) {
        throw error;
      }
    }
    return this.state === "met";
  }
}

/** A statement of the connection above. */
class ConditionalStatement {
  readonly statement: D1PreparedStatement;
  readonly #d1: ConditionalD1;

  constructor(statement: D1PreparedStatement, d1: ConditionalD1) {
    this.statement = statement;
    this.#d1 = d1;
  }

  bind(...values: unknown[]): ConditionalStatement {
    return new ConditionalStatement(this.statement.bind(...values), this.#d1);
  }

  async all(): Promise<D1Result> {
    const results = await this.#d1.runFirst([this.statement]);
    return results?.[0] ?? this.statement.all();
  }

  run(): Promise<D1Result> {
    return this.all();
  }

  async first(column?: string): Promise<unknown> {
    const results = await this.#d1.runFirst([this.statement]);
    const result = results?.[0];
    if (result === undefined) {
      return column === undefined ? this.statement.first() : this.statement.first(column);
    }
    const row = result.results[0] as Record<string, unknown> | undefined;
    return row === undefined ? null : column === undefined ? row : row[column];
  }

  /** A batch has no raw rows, so that the condition goes before as a call of its own. */
  async raw(options?: { readonly columnNames?: false }): Promise<unknown[][]> {
    await this.#d1.assertMet();
    return this.statement.raw(options);
  }
}
