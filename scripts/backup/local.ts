import { createHash, createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { getPlatformProxy, unstable_readConfig } from "wrangler";
import { readVersion } from "../deploy/version.ts";
import { runWrangler } from "../deploy/wrangler.ts";
import { localD1 } from "./local-d1.ts";
import { type Installation, OperatorError, type StoredObject } from "./installation.ts";

const UNIQUE_KEY = "miniflare-D1DatabaseObject";
const LOCK_TIMEOUT_MS = 30_000;
const LIST_LIMIT = 1000;

/** The file name of a local database. The runtime names it by the object that would contain it. */
function fileNameOf(databaseId: string): string {
  const key = createHash("sha256").update(UNIQUE_KEY).digest();
  const name = createHmac("sha256", key).update(databaseId).digest().subarray(0, 16);
  const check = createHmac("sha256", key).update(name).digest().subarray(0, 16);
  return `${Buffer.concat([name, check]).toString("hex")}.sqlite`;
}

/** Removes the runtime's own tables, which are in the same file. */
function dropRuntimeTables(file: string): void {
  const database = new DatabaseSync(file);
  try {
    const tables = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE '\\_cf\\_%' ESCAPE '\\'")
      .all() as { name: string }[];
    for (const { name } of tables) {
      database.exec(`DROP TABLE "${name}"`);
    }
    database.exec("PRAGMA journal_mode = DELETE");
  } finally {
    database.close();
  }
}

/** The path at which the runtime keeps the database of an environment in wrangler.toml. */
export function localDatabaseFile(environment: string | undefined, stateDir: string): string {
  const config = unstable_readConfig({ config: "wrangler.toml", env: environment }, { hideWarnings: true });
  const binding = config.d1_databases.find((database: { readonly binding: string }) => database.binding === "DB");
  const databaseId = binding?.preview_database_id ?? binding?.database_id ?? "DB";
  return join(stateDir, "v3", "d1", UNIQUE_KEY, fileNameOf(databaseId));
}

export interface LocalFlags {
  readonly environment: string | undefined;
  readonly stateDir: string | undefined;
}

/** Opens only the bucket. A runtime with the Durable Object classes would run the alarms of the running service. */
async function openBucket(
  environment: string | undefined,
  stateDir: string,
): Promise<{ readonly bucket: R2Bucket; readonly close: () => Promise<void> }> {
  const config = unstable_readConfig({ config: "wrangler.toml", env: environment }, { hideWarnings: true });
  const named = config.r2_buckets.find((bucket: { readonly binding: string }) => bucket.binding === "MEDIA");
  const folder = await mkdtemp(join(tmpdir(), "almanac-bucket-"));
  const configPath = join(folder, "wrangler.json");
  await writeFile(
    configPath,
    JSON.stringify({ name: "bucket", compatibility_date: config.compatibility_date, r2_buckets: [named] }),
  );
  const proxy = await getPlatformProxy<{ MEDIA: R2Bucket }>({
    configPath,
    persist: { path: resolve(stateDir, "v3") },
  });
  return {
    bucket: proxy.env.MEDIA,
    async close() {
      await proxy.dispose();
      await rm(folder, { recursive: true });
    },
  };
}

/** Opens the service on this machine (`npm run dev`). Its state is files, which other processes may have open. */
export async function openLocal({ environment, stateDir = ".wrangler/state" }: LocalFlags): Promise<Installation> {
  const file = localDatabaseFile(environment, stateDir);
  const { bucket, close } = await openBucket(environment, stateDir);
  return {
    name: `${stateDir}${environment === undefined ? "" : ` (${environment})`}`,
    database: localD1(file),
    runningVersion: async () => await readVersion(),
    async exportDatabase(target) {
      await rm(target, { force: true });
      const source = existsSync(file)
        ? new DatabaseSync(file, { readOnly: true, timeout: LOCK_TIMEOUT_MS })
        : new DatabaseSync(":memory:");
      try {
        await backup(source, target);
      } finally {
        source.close();
      }
      dropRuntimeTables(target);
    },
    async migrate() {
      const flags = environment === undefined ? [] : ["--env", environment];
      const { code } = await runWrangler(
        ["d1", "migrations", "apply", "DB", "--local", "--persist-to", stateDir, ...flags],
        null,
      );
      if (code !== 0) {
        throw new OperatorError("a migration failed", "read the message above, then run the command again");
      }
    },
    bookmark: async () => null,
    travelTo: () => Promise.reject(new Error("a local database has no Time Travel")),
    async *objects() {
      let cursor: string | undefined;
      do {
        const page = await bucket.list({ limit: LIST_LIMIT, ...(cursor !== undefined && { cursor }) });
        for (const { key, size, etag } of page.objects) {
          yield { key, sizeBytes: size, etag } satisfies StoredObject;
        }
        cursor = page.truncated ? page.cursor : undefined;
      } while (cursor !== undefined);
    },
    readObject: async (key) => (await bucket.get(key))?.body ?? null,
    writeObject: async (key, path, contentType) =>
      void (await bucket.put(key, await readFile(path), { httpMetadata: { contentType } })),
    close,
  };
}
