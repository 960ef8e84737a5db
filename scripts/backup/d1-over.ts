/** A statement with its parameters, in the form that both kinds of databases accept. */
export interface BoundStatement {
  readonly sql: string;
  readonly params: readonly unknown[];
}

export interface StatementResult {
  readonly results: readonly Record<string, unknown>[];
  readonly meta: object;
}

/** Runs a batch as one transaction, and returns the result of each statement. */
export type SendBatch = (batch: readonly BoundStatement[]) => Promise<readonly StatementResult[]>;

class Statement implements BoundStatement {
  readonly #send: SendBatch;
  readonly sql: string;
  readonly params: readonly unknown[];

  constructor(send: SendBatch, sql: string, params: readonly unknown[] = []) {
    this.#send = send;
    this.sql = sql;
    this.params = params;
  }

  bind(...params: readonly unknown[]): Statement {
    return new Statement(this.#send, this.sql, params);
  }

  async all(): Promise<StatementResult> {
    const [result] = await this.#send([this]);
    if (result === undefined) {
      throw new Error("the database answered nothing");
    }
    return result;
  }

  run(): Promise<StatementResult> {
    return this.all();
  }

  async first(column?: string): Promise<unknown> {
    const [row] = (await this.all()).results;
    return (column === undefined ? row : row?.[column]) ?? null;
  }

  async raw(): Promise<unknown[][]> {
    return (await this.all()).results.map((row) => Object.values(row));
  }
}

/** A database with those methods of the D1 binding that use cases call. */
export function d1Over(send: SendBatch): D1Database {
  const database = {
    prepare: (sql: string) => new Statement(send, sql),
    batch: (statements: readonly Statement[]) => send(statements),
  };
  return database as unknown as D1Database;
}
