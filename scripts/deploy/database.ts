import type { CloudflareApi } from "./cloudflare.ts";

/** The columns whose texts only TOKEN_KEYS can open, and that live longer than a day; a test compares them with the schema. */
export const SEALED_COLUMNS = {
  connections: ["sealed_tokens"],
  accounts: ["sealed_token"],
  app_registrations: ["sealed"],
  webhooks: ["sealed_secret", "previous_sealed_secret"],
} as const satisfies Record<string, readonly string[]>;

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

  /** The ids of the keys with which something is sealed. A text begins with `v1.<key id>.`. */
  async sealingKeyIds(): Promise<string[]> {
    const tables = await this.#tables();
    const columns = Object.entries(SEALED_COLUMNS).flatMap(([table, names]) =>
      tables.has(table) ? names.map((name) => `SELECT ${name} AS sealed FROM ${table} WHERE ${name} IS NOT NULL`) : [],
    );
    if (columns.length === 0) {
      return [];
    }
    const rest = "substr(sealed, instr(sealed, '.') + 1)";
    const rows = await this.#rows<{ id: string }>(
      `SELECT DISTINCT substr(${rest}, 1, instr(${rest}, '.') - 1) AS id FROM (${columns.join(" UNION ALL ")}) ORDER BY id`,
    );
    return rows.map(({ id }) => id);
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
