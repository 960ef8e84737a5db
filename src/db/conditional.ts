import { type Db, openDb } from "./client.ts";
import { isLostResponse, isUnmetCondition, UNMET_CONDITION } from "./errors.ts";

/**
 * A database connection that runs statements only if a condition is true. D1 checks the condition in the transaction of
 * the first call.
 */
export interface ConditionalDb {
  readonly db: Db;
  /** Whether the condition was true. Queries D1 if no call has checked it yet. */
  isMet(): Promise<boolean>;
  /** Throws if the condition was false. */
  assertMet(): Promise<void>;
  /** True if the response to a call was lost. D1 may have run that call, so the caller must not repeat it. */
  mayHaveRun(): boolean;
}

type Statements = readonly D1PreparedStatement[];

/**
 * SQL for a statement that fails unless the SQL expression `holds` is true. The failure rolls back the whole batch. The
 * error text contains `name`.
 */
export function failUnless(holds: string, name: string = UNMET_CONDITION): string {
  return `SELECT json_extract('{}', CASE WHEN ${holds} THEN '$' ELSE '${name}' END)`;
}

/**
 * Opens a database connection with a condition. The statement from `condition` runs first in the first call;
 * `failUnless` writes its SQL.
 */
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
  /**
   * Pending while the first call checks the condition. Other calls wait for it, so that no write runs before the check.
   */
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

  /**
   * Runs the condition and the statements in one batch. Returns null if the condition was already true; the caller then
   * runs the statements itself.
   */
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
      // After other errors D1 has rolled back the batch, so the next call checks the condition again. Only a lost
      // response leaves it unknown whether the batch ran.
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

/** A prepared statement that runs only after the condition was checked. */
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

  /** Checks the condition in a call of its own, because a batch cannot return raw rows. */
  async raw(options?: { readonly columnNames?: false }): Promise<unknown[][]> {
    await this.#d1.assertMet();
    return this.statement.raw(options);
  }
}
