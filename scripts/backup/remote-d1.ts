import type { CloudflareApi } from "../deploy/cloudflare.ts";

type Result = D1Result<Record<string, unknown>>;

class RemoteStatement {
  readonly #send: (batch: readonly RemoteStatement[]) => Promise<Result[]>;
  readonly sql: string;
  readonly params: readonly unknown[];

  constructor(
    send: (batch: readonly RemoteStatement[]) => Promise<Result[]>,
    sql: string,
    params: readonly unknown[] = [],
  ) {
    this.#send = send;
    this.sql = sql;
    this.params = params;
  }

  bind(...params: unknown[]): RemoteStatement {
    return new RemoteStatement(this.#send, this.sql, params);
  }

  async all(): Promise<Result> {
    const [result] = await this.#send([this]);
    if (result === undefined) {
      throw new Error("the database answered nothing");
    }
    return result;
  }

  run(): Promise<Result> {
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

/** The deployed database with the methods of the binding that use cases call; a batch is one transaction, as there. */
export function remoteD1(api: CloudflareApi, accountId: string, databaseId: string): D1Database {
  const send = (batch: readonly RemoteStatement[]): Promise<Result[]> =>
    api.post<Result[]>(`/accounts/${accountId}/d1/database/${databaseId}/query`, {
      batch: batch.map(({ sql, params }) => ({ sql, params })),
    });
  const database = {
    prepare: (sql: string) => new RemoteStatement(send, sql),
    batch: (statements: RemoteStatement[]) => send(statements),
  };
  return database as unknown as D1Database;
}
