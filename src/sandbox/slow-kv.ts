import { SECOND } from "#core/clock.ts";
import type { SandboxEnv } from "./env.ts";

type Kv = Pick<KVNamespace, "get" | "put">;
type StoredKv = Pick<KVNamespace, "getWithMetadata" | "put">;

/**
 * The seconds for which a location caches what it has read, also that a key does not exist
 * (developers.cloudflare.com/kv/api/read-key-value-pairs).
 */
const DEFAULT_CACHE_SECONDS = 60;
const MIN_CACHE_SECONDS = 30;

interface ReadOptions {
  readonly type?: "text" | "json";
  readonly cacheTtl?: number;
}

interface Written {
  readonly location: string;
  readonly visibleAt: number;
}

/**
 * KV as several locations see it: a new key is visible at once where it was written and later at all others, and each location caches
 * that a key is missing (developers.cloudflare.com/kv/concepts/how-kv-works).
 */
export class SlowKv {
  readonly #kv: StoredKv;
  readonly #delayMs: () => number;
  readonly #now: () => number;
  readonly #missingUntil = new Map<string, number>();
  /** How many reads found nothing, although the key was written. */
  misses = 0;

  constructor(kv: StoredKv, delayMs: () => number, now: () => number = Date.now) {
    this.#kv = kv;
    this.#delayMs = delayMs;
    this.#now = now;
  }

  /** The KV binding of a Worker at a location. */
  at(location: string): Kv {
    return {
      get: (key: string, options?: ReadOptions) => this.#get(location, key, options),
      put: (key: string, value: string, options?: KVNamespacePutOptions) => this.#put(location, key, value, options),
    } as unknown as Kv;
  }

  async #get(location: string, key: string, { type, cacheTtl = DEFAULT_CACHE_SECONDS }: ReadOptions = {}) {
    if (cacheTtl < MIN_CACHE_SECONDS) {
      throw new Error(`KV GET failed: 400 Invalid cache_ttl of ${cacheTtl}. Cache TTL must be at least 30.`);
    }
    const now = this.#now();
    const cached = `${location} ${key}`;
    if (now < (this.#missingUntil.get(cached) ?? 0)) {
      this.misses += 1;
      return null;
    }
    const { value, metadata } = await this.#kv.getWithMetadata<Written>(key);
    if (value !== null && metadata !== null && (metadata.location === location || now >= metadata.visibleAt)) {
      return type === "json" ? (JSON.parse(value) as unknown) : value;
    }
    this.#missingUntil.set(cached, now + cacheTtl * SECOND);
    this.misses += metadata === null ? 0 : 1;
    return null;
  }

  async #put(location: string, key: string, value: string, options?: KVNamespacePutOptions): Promise<void> {
    const metadata: Written = { location, visibleAt: this.#now() + this.#delayMs() };
    await this.#kv.put(key, value, { ...options, metadata });
  }
}

/** The header in which a request says from which location it comes. */
const LOCATION_HEADER = "x-sandbox-location";

interface Places {
  readonly kv: SlowKv;
  readonly envs: Map<string, SandboxEnv>;
}

/** Keeps a single bindings object for each isolate and location, as it is with a fast KV. */
const places = new WeakMap<SandboxEnv, Places>();

/** How many reads of this isolate found nothing, although the key was written; null with a fast KV. */
export const slowKvMisses = (env: SandboxEnv): number | null => places.get(env)?.kv.misses ?? null;

/**
 * Replaces KV by a slow one if SLOW_KV_MS is set: a new key is visible at other locations after a random time up to
 * that (`npm run crash -- --slow-kv`).
 */
export function withSlowKv<E extends SandboxEnv>(env: E, location: string): E {
  const maxDelayMs = Number(env["SLOW_KV_MS"] ?? 0);
  if (!(maxDelayMs > 0)) {
    return env;
  }
  const known = places.get(env) ?? { kv: new SlowKv(env.TOKENS, () => Math.random() * maxDelayMs), envs: new Map() };
  places.set(env, known);
  const here = (known.envs.get(location) as E | undefined) ?? { ...env, TOKENS: known.kv.at(location) };
  known.envs.set(location, here);
  return here;
}

export const locationOf = ({ headers }: Request): string => headers.get(LOCATION_HEADER) ?? "";
