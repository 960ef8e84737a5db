import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import type { D1Database } from "./d1-database.ts";
import type { Binding, DeployedWorker } from "./deployed-worker.ts";

type Network = (request: IncomingMessage, response: ServerResponse) => void;

interface Statement {
  bind(...values: unknown[]): Statement;
  run(): Promise<unknown>;
}

interface Database {
  prepare(sql: string): Statement;
}

/** The members of Miniflare used here. It is a dependency of wrangler, not of this project. */
interface Miniflare {
  dispatchFetch(url: string, init: object): Promise<Response>;
  getD1Database(binding: string): Promise<Database>;
  dispose(): Promise<void>;
}

const { Miniflare, convertV4MiniflareOptions } = createRequire(createRequire(import.meta.url).resolve("wrangler"))(
  "miniflare",
) as { Miniflare: new (options: object) => Miniflare; convertV4MiniflareOptions: (options: object) => object };

const ofType = (bindings: readonly Binding[], ...types: readonly string[]) =>
  bindings.filter(({ type }) => types.includes(type));

function optionsFor(bindings: readonly Binding[], classes: ReadonlySet<string>): object {
  const named = (type: string, value: (binding: Binding) => unknown) =>
    Object.fromEntries(ofType(bindings, type).map((binding) => [binding.name, value(binding)]));
  return {
    bindings: { ...named("plain_text", ({ text }) => text), ...named("secret_text", ({ text }) => text) },
    d1Databases: named("d1", ({ id, database_id: databaseId }) => id ?? databaseId),
    kvNamespaces: named("kv_namespace", ({ namespace_id: id }) => id),
    r2Buckets: named("r2_bucket", ({ bucket_name: name }) => name),
    durableObjects: named("durable_object_namespace", ({ class_name: className }) => ({
      className,
      useSQLite: classes.has(className ?? ""),
    })),
    ratelimits: named("ratelimit", ({ namespace_id: id, simple }) => ({ namespace_id: id, simple })),
  };
}

/** The tables and indexes of the deployed database, as statements. */
function schemaOf(database: D1Database): string[] {
  const rows = database.rows(
    "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type = 'trigger', type = 'index', rowid",
  ) as { sql: string }[];
  return rows.map(({ sql }) => sql);
}

/** The names of the tables, which the migrations have filled with a few rows. */
function tablesOf(database: D1Database): string[] {
  const rows = database.rows(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%'",
  ) as { name: string }[];
  return rows.map(({ name }) => name);
}

async function copyRows(from: D1Database, to: Database): Promise<void> {
  for (const table of tablesOf(from)) {
    await to.prepare(`DELETE FROM ${table}`).run();
    for (const row of from.rows(`SELECT * FROM ${table}`) as Record<string, unknown>[]) {
      const columns = Object.keys(row);
      const places = columns.map(() => "?").join(", ");
      await to
        .prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})`)
        .bind(...Object.values(row))
        .run();
    }
  }
}

/** What was uploaded, in the real runtime, with the bindings that were uploaded and a copy of the migrated database. */
export class RunningUpload {
  readonly #miniflare: Miniflare;
  readonly #folder: string;

  private constructor(miniflare: Miniflare, folder: string) {
    this.#miniflare = miniflare;
    this.#folder = folder;
  }

  /** `network` answers whatever the service asks other servers. */
  static async start(worker: DeployedWorker, database: D1Database, network?: Network): Promise<RunningUpload> {
    const { modules, bindings } = worker.current;
    const folder = await mkdtemp(path.join(tmpdir(), "almanac-upload-"));
    const miniflare = new Miniflare(
      convertV4MiniflareOptions({
        host: "127.0.0.1",
        port: 0,
        cf: false,
        resourcePersistencePath: folder,
        workers: [
          {
            name: worker.name,
            compatibilityDate: worker.current.compatibilityDate,
            compatibilityFlags: worker.current.compatibilityFlags,
            modules: modules
              .filter(({ type }) => type !== "application/source-map")
              .map(({ name, type, contents }) => ({
                type: type === "text/plain" ? "Text" : "ESModule",
                path: name,
                contents,
              })),
            ...optionsFor(bindings, worker.classes),
            ...(network !== undefined && { outboundService: { node: network } }),
          },
        ],
      }),
    );
    const d1 = await miniflare.getD1Database("DB");
    for (const sql of schemaOf(database)) {
      await d1.prepare(sql).run();
    }
    await copyRows(database, d1);
    return new RunningUpload(miniflare, folder);
  }

  fetch({ url, method, headers }: Request, init: object = {}): Promise<Response> {
    return this.#miniflare.dispatchFetch(url, {
      redirect: "manual",
      method,
      headers: Object.fromEntries(headers),
      ...init,
    });
  }

  async sql(statement: string): Promise<void> {
    await (await this.#miniflare.getD1Database("DB")).prepare(statement).run();
  }

  async stop(): Promise<void> {
    await this.#miniflare.dispose();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
