import { exports } from "cloudflare:workers";
import { toBase64Url, toHex } from "#core/encoding.ts";
import type { JsonValue } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import type { BookEntry, Sim, SimSettings, SimStore } from "./contract.ts";
import { appOf, type SandboxEnv } from "./env.ts";

const HEAD_BYTES = 64 * 1024;
const PULL_TIMEOUT_MS = 120_000;

/** The address space of simulators inside the object's key-value storage. */
const STATE = "state:";

function storeOver(kv: SyncKvStorage): SimStore {
  return {
    get: <T extends JsonValue>(key: string) => kv.get<T>(STATE + key),
    put: (key, value) => kv.put(STATE + key, value),
    delete: (key) => void kv.delete(STATE + key),
    list: <T extends JsonValue>(
      prefix: string,
      { from, reverse, limit }: { from?: string; reverse?: boolean; limit?: number } = {},
    ) =>
      Array.from(
        kv.list<T>({
          prefix: STATE + prefix,
          ...(from !== undefined && { start: STATE + from }),
          ...(reverse !== undefined && { reverse }),
          ...(limit !== undefined && { limit }),
        }),
        ([key, value]) => [key.slice(STATE.length), value] as const,
      ),
  };
}

interface Digest {
  readonly sha256: string;
  readonly size: number;
  readonly head: Uint8Array;
}

async function digestAll(bodies: AsyncIterable<ReadableStream<Uint8Array>>): Promise<Digest> {
  const digest = new crypto.DigestStream("SHA-256");
  const writer = digest.getWriter();
  const head = new Uint8Array(HEAD_BYTES);
  let size = 0;
  for await (const body of bodies) {
    for await (const chunk of body) {
      if (size < HEAD_BYTES) {
        head.set(chunk.subarray(0, HEAD_BYTES - size), size);
      }
      size += chunk.byteLength;
      await writer.write(chunk);
    }
  }
  await writer.close();
  return { sha256: toHex(new Uint8Array(await digest.digest)), size, head: head.slice(0, Math.min(size, HEAD_BYTES)) };
}

async function* one(body: ReadableStream<Uint8Array>): AsyncGenerator<ReadableStream<Uint8Array>> {
  yield body;
}

async function* stored(bucket: R2Bucket, keys: readonly string[]): AsyncGenerator<ReadableStream<Uint8Array>> {
  for (const key of keys) {
    const object = await bucket.get(key);
    if (!object) {
      throw new Error(`a stored part is gone: ${key}`);
    }
    yield object.body as ReadableStream<Uint8Array>;
  }
}

/** Our own origin is answered in this process, so that it works on any port and without a network. */
export async function fetchPublic(origin: string, request: Request): Promise<Response> {
  return new URL(request.url).origin === origin ? exports.default.fetch(request) : fetch(request);
}

function digits(count: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(count));
  return Array.from(bytes, (byte, at) => (at === 0 ? 1 + (byte % 8) : byte % 10)).join("");
}

export interface SimParts {
  readonly platform: Platform;
  readonly env: SandboxEnv;
  readonly kv: SyncKvStorage;
  readonly sql: SqlStorage;
  readonly settings: () => SimSettings;
  readonly running: Map<string, Promise<void>>;
}

/** The hands a simulator works with. */
export function openSim({ platform, env, kv, sql, settings, running }: SimParts): Sim {
  return {
    store: storeOver(kv),
    blobs: env.SANDBOX_BLOBS,
    get settings() {
      return settings();
    },
    app: appOf(platform),
    now: () => Date.now(),
    run(key, work) {
      const under = running.get(key);
      if (under) {
        return under;
      }
      const started = work().finally(() => running.delete(key));
      running.set(key, started);
      return started;
    },
    pull: (url, headers = {}) =>
      fetchPublic(env.ORIGIN, new Request(url, { headers, signal: AbortSignal.timeout(PULL_TIMEOUT_MS) })),
    digest: (body) => digestAll(one(body)),
    digestBlobs: (keys) => digestAll(stored(env.SANDBOX_BLOBS, keys)),
    publish(entry) {
      sql.exec("INSERT INTO book (account, entry) VALUES (?, ?)", entry.account, JSON.stringify(entry));
    },
    book: (account) => readBook(sql, account ?? null),
    id: digits,
    secret: (prefix) => prefix + toBase64Url(crypto.getRandomValues(new Uint8Array(30))),
  };
}

/** What stands in the book, oldest first; null for every account. */
export function readBook(sql: SqlStorage, account: string | null): BookEntry[] {
  const rows = sql.exec<{ entry: string }>(
    "SELECT entry FROM book WHERE ?1 IS NULL OR account = ?1 ORDER BY seq",
    account,
  );
  return Array.from(rows, (row) => JSON.parse(row.entry) as BookEntry);
}
