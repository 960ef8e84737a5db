import { exports } from "cloudflare:workers";
import { toIsoInstant } from "#core/clock.ts";
import { toBase64Url, toHex } from "#core/encoding.ts";
import type { JsonValue } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import type { PublishedPost, SimulatorContext, SimulatorSettings, SimulatorStore } from "./contract.ts";
import { appCredentials, type SandboxEnv } from "./env.ts";

const HEAD_BYTES = 64 * 1024;
const FETCH_TIMEOUT_MS = 120_000;

/** The prefix that separates the simulator's keys from the Durable Object's own. */
const STORE_PREFIX = "state:";

function createStore(kv: SyncKvStorage): SimulatorStore {
  return {
    get: <T extends JsonValue>(key: string) => kv.get<T>(STORE_PREFIX + key),
    put: (key, value) => kv.put(STORE_PREFIX + key, value),
    delete: (key) => void kv.delete(STORE_PREFIX + key),
    list: <T extends JsonValue>(
      prefix: string,
      { from, reverse, limit }: { from?: string; reverse?: boolean; limit?: number } = {},
    ) =>
      Array.from(
        kv.list<T>({
          prefix: STORE_PREFIX + prefix,
          ...(from !== undefined && { start: STORE_PREFIX + from }),
          ...(reverse !== undefined && { reverse }),
          ...(limit !== undefined && { limit }),
        }),
        ([key, value]) => [key.slice(STORE_PREFIX.length), value] as const,
      ),
  };
}

interface Digest {
  readonly sha256: string;
  readonly size: number;
  readonly head: Uint8Array;
}

async function digestStreams(bodies: AsyncIterable<ReadableStream<Uint8Array>>): Promise<Digest> {
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

async function* single(body: ReadableStream<Uint8Array>): AsyncGenerator<ReadableStream<Uint8Array>> {
  yield body;
}

async function* storedBodies(bucket: R2Bucket, keys: readonly string[]): AsyncGenerator<ReadableStream<Uint8Array>> {
  for (const key of keys) {
    const object = await bucket.get(key);
    if (!object) {
      throw new Error(`a stored part is missing: ${key}`);
    }
    yield object.body as ReadableStream<Uint8Array>;
  }
}

/** Fetches the service's own origin within the process, so that the sandbox works on any port and without a network. */
export async function fetchPublic(origin: string, request: Request): Promise<Response> {
  return new URL(request.url).origin === origin ? exports.default.fetch(request) : fetch(request);
}

function randomDigits(count: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(count));
  return Array.from(bytes, (byte, index) => (index === 0 ? 1 + (byte % 8) : byte % 10)).join("");
}

export interface SimulatorContextParts {
  readonly platform: Platform;
  /** The time when the call reached the simulators' own worker; null without such a worker or a call. */
  readonly receivedAt: number | null;
  readonly env: SandboxEnv;
  readonly kv: SyncKvStorage;
  readonly sql: SqlStorage;
  readonly settings: () => SimulatorSettings;
  readonly running: Map<string, Promise<void>>;
  readonly appFamily: string | undefined;
  readonly endSharedGrant: (login: string) => void;
}

export function createSimulatorContext({
  platform,
  receivedAt,
  env,
  kv,
  sql,
  settings,
  running,
  appFamily,
  endSharedGrant,
}: SimulatorContextParts): SimulatorContext {
  return {
    store: createStore(kv),
    blobs: env.SANDBOX_BLOBS,
    get settings() {
      return settings();
    },
    get app() {
      const { shared_app: isShared, app_secret: changedSecret } = settings().extra;
      const app = appCredentials(isShared === true ? (appFamily ?? platform) : platform);
      return typeof changedSecret === "string" ? { ...app, clientSecret: changedSecret } : app;
    },
    endSharedGrant,
    now: () => Date.now(),
    runOnce(key, work) {
      const inProgress = running.get(key);
      if (inProgress) {
        return inProgress;
      }
      const started = work().finally(() => running.delete(key));
      running.set(key, started);
      return started;
    },
    fetchUrl: (url, headers = {}) =>
      fetchPublic(env.ORIGIN, new Request(url, { headers, signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) })),
    digest: (body) => digestStreams(single(body)),
    digestBlobs: (keys) => digestStreams(storedBodies(env.SANDBOX_BLOBS, keys)),
    recordPublishedPost(post) {
      const recorded = receivedAt === null ? post : { ...post, received_at: toIsoInstant(receivedAt) };
      sql.exec("INSERT INTO published_posts (account, post) VALUES (?, ?)", post.account, JSON.stringify(recorded));
    },
    publishedPosts: (account) => readPublishedPosts(sql, account ?? null),
    newId: randomDigits,
    newSecret: (prefix) => prefix + toBase64Url(crypto.getRandomValues(new Uint8Array(30))),
  };
}

/** The published posts, oldest first; those of all accounts if `account` is null. */
export function readPublishedPosts(sql: SqlStorage, account: string | null): PublishedPost[] {
  const rows = sql.exec<{ post: string }>(
    "SELECT post FROM published_posts WHERE ?1 IS NULL OR account = ?1 ORDER BY seq",
    account,
  );
  return Array.from(rows, (row) => JSON.parse(row.post) as PublishedPost);
}
