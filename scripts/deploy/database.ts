import { SEALED_COLUMNS, sealedPerKeySql } from "#db/sealed-columns.ts";
import type { CloudflareApi } from "./cloudflare.ts";

/** The deployed database, by SQL. */
export class RemoteDatabase {
  readonly #api: CloudflareApi;
  readonly #path: string;

  constructor(api: CloudflareApi, accountId: string, databaseId: string) {
    this.#api = api;
    this.#path = `/accounts/${accountId}/d1/database/${databaseId}`;
  }

  async #rows<T>(sql: string): Promise<T[]> {
    const [first] = await this.#api.post<{ results: T[] }[]>(`${this.#path}/query`, { sql });
    return first?.results ?? [];
  }

  async #tables(): Promise<ReadonlySet<string>> {
    const rows = await this.#rows<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'");
    return new Set(rows.map(({ name }) => name));
  }

  /** The ids of the keys with which something is sealed. */
  async sealingKeyIds(): Promise<string[]> {
    const tables = await this.#tables();
    const columns = SEALED_COLUMNS.filter(([table]) => tables.has(table));
    if (columns.length === 0) {
      return [];
    }
    const rows = await this.#rows<{ id: string }>(sealedPerKeySql(columns));
    return rows.map(({ id }) => id);
  }

  /** The names of the applied migrations, in the table that wrangler makes for them. */
  async appliedMigrations(): Promise<ReadonlySet<string>> {
    await this.#rows(
      "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)",
    );
    const rows = await this.#rows<{ name: string }>("SELECT name FROM d1_migrations");
    return new Set(rows.map(({ name }) => name));
  }

  async hasUsers(): Promise<boolean> {
    const tables = await this.#tables();
    return tables.has("users") && (await this.#rows("SELECT 1 FROM users LIMIT 1")).length > 0;
  }

  /** The point in time to which the database can be put back. */
  async bookmark(): Promise<string> {
    return (await this.#api.get<{ bookmark: string }>(`${this.#path}/time_travel/bookmark`)).bookmark;
  }
}
