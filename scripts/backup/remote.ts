import { createWriteStream } from "node:fs";
import { readFile, rm, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ApiFailure, type CloudflareApi } from "../deploy/cloudflare.ts";
import { CONFIG_FILE, namesFrom, readTrackedConfig } from "../deploy/config-file.ts";
import { loadDotEnv, signIn } from "../deploy/credential.ts";
import { RemoteDatabase } from "../deploy/database.ts";
import { applyMigrations } from "../deploy/migrations.ts";
import { readValues } from "../deploy/read-values.ts";
import { findResources } from "../deploy/resources.ts";
import { readRunningWorker } from "../deploy/running.ts";
import { FileFailure, type Installation, OperatorError, type StoredObject } from "./installation.ts";
import { MAX_WHOLE_BYTES, uploadInParts } from "./r2-parts.ts";
import { remoteD1 } from "./remote-d1.ts";
import { loadSqlFile } from "./sql-file.ts";

const OBJECTS_PER_PAGE = 1000;

interface ExportAnswer {
  readonly status?: "complete" | "error" | "active";
  readonly at_bookmark?: string;
  readonly error?: string;
  readonly result?: { readonly filename: string; readonly signed_url: string };
}

/**
 * Exports the database and polls until the dump is written, because Cloudflare gives up an export without polls. The
 * database answers no other query meanwhile.
 */
async function requestExport(api: CloudflareApi, path: string): Promise<string> {
  let bookmark: string | undefined;
  for (;;) {
    const answer = await api.post<ExportAnswer>(`${path}/export`, {
      output_format: "polling",
      ...(bookmark !== undefined && { current_bookmark: bookmark }),
    });
    if (answer.status === "complete" && answer.result !== undefined) {
      return answer.result.signed_url;
    }
    if (answer.status === "error") {
      throw new OperatorError(`the export failed: ${answer.error ?? "no reason given"}`, "run the command again");
    }
    bookmark = answer.at_bookmark;
  }
}

async function download(url: string, file: string): Promise<void> {
  const response = await fetch(url);
  if (!response.ok || response.body === null) {
    throw new OperatorError(`the dump could not be downloaded (HTTP ${response.status})`, "run the command again");
  }
  await pipeline(Readable.from(response.body), createWriteStream(file));
}

function toFileFailure(error: unknown): never {
  throw error instanceof ApiFailure ? new FileFailure(error.message) : error;
}

/** Opens the service that `npm run deploy` made from this folder's settings. */
export async function openRemote(): Promise<Installation> {
  await loadDotEnv();
  const values = await readValues(process.env);
  const names = namesFrom(await readTrackedConfig(), values.get("WORKER_NAME"));
  const { api, accountId } = await signIn(values.get("JURISDICTION"));
  const { databaseId } = await findResources(api, accountId, names);
  if (databaseId === null) {
    throw new OperatorError(
      `the account has no database ${names.database}`,
      "deploy the service first: `npm run deploy`",
    );
  }
  const path = `/accounts/${accountId}/d1/database/${databaseId}`;
  const objectPath = (key: string) => `/accounts/${accountId}/r2/buckets/${names.bucket}/objects/${key}`;
  return {
    name: `${names.worker} at Cloudflare`,
    database: remoteD1(api, accountId, databaseId),
    async runningVersion() {
      const origin = (await readRunningWorker(api, accountId, names.worker))?.vars.get("ORIGIN");
      try {
        const response = await fetch(`${origin}/health`, { signal: AbortSignal.timeout(5000) });
        const health: { version?: string } = await response.json();
        return health.version ?? null;
      } catch {
        return null;
      }
    },
    async exportDatabase(file) {
      const dump = `${file}.sql`;
      await download(await requestExport(api, path), dump);
      await rm(file, { force: true });
      await loadSqlFile(dump, file);
      await rm(dump);
    },
    async migrate() {
      await readFile(CONFIG_FILE).catch(() => {
        throw new OperatorError(`${CONFIG_FILE} is missing`, "run `npm run deploy` in this folder once");
      });
      await applyMigrations(new RemoteDatabase(api, accountId, databaseId), accountId);
    },
    async bookmark(at) {
      const query = at === undefined ? undefined : { timestamp: at.toISOString() };
      return (await api.get<{ bookmark: string }>(`${path}/time_travel/bookmark`, query)).bookmark;
    },
    async travelTo(bookmark) {
      await api.post(`${path}/time_travel/restore?${new URLSearchParams({ bookmark }).toString()}`, undefined);
    },
    async *objects() {
      const list = `/accounts/${accountId}/r2/buckets/${names.bucket}/objects`;
      const pages = api.pages<{ key: string; size: number; etag: string }>(list, {
        per_page: String(OBJECTS_PER_PAGE),
      });
      for await (const { key, size, etag } of pages) {
        yield { key, sizeBytes: size, etag } satisfies StoredObject;
      }
    },
    readObject: (key) => api.download(objectPath(key)),
    async writeObject(key, file, contentType) {
      if ((await stat(file)).size <= MAX_WHOLE_BYTES) {
        await api.upload(objectPath(key), await readFile(file), contentType).catch(toFileFailure);
        return;
      }
      const credentials = await api.s3Credentials(accountId);
      if (credentials === null) {
        throw new FileFailure(
          "a file of more than 300 MB needs CLOUDFLARE_API_TOKEN, a login with wrangler is not enough",
        );
      }
      const jurisdiction = values.get("JURISDICTION");
      const host = `${accountId}.${jurisdiction === undefined ? "" : `${jurisdiction}.`}r2.cloudflarestorage.com`;
      const address = `https://${host}/${names.bucket}/${key}`;
      await uploadInParts({ credentials, address, contentType }, file);
    },
    close: () => Promise.resolve(),
  };
}
