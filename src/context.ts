import type { Actor } from "#core/actor.ts";
import type { ArmAnswer, ArmHint } from "#core/arming.ts";
import { type Clock, systemClock } from "#core/clock.ts";
import { type Ids, systemIds } from "#core/ids.ts";
import type { Platform } from "#core/platform.ts";
import { type Db, openDb } from "#db/client.ts";
import type { Adapter } from "#platforms/contract.ts";
import { adapterFor } from "#platforms/registry.ts";
import { type Config, type Env, readConfig } from "./config.ts";

/** The two ways out of the house. Production goes to the network; the sandbox answers in the same process. */
export interface Outbound {
  /** To a platform; adapters get it wrapped as a `PlatformClient`. */
  platformFetch(request: Request): Promise<Response>;
  /** To any public address (media sources, client metadata documents). */
  publicFetch(request: Request): Promise<Response>;
  /** Where a person's browser finds an address of a platform. */
  browserUrl(url: URL): URL;
  /** An origin allowed for media import beside public HTTPS; null in production. */
  readonly trustedMediaOrigin: string | null;
}

/** Everything a verb may ask for; each asks only for what it uses (`Pick`). */
export interface Services {
  readonly db: Db;
  readonly tokens: KVNamespace;
  readonly bucket: R2Bucket;
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly outbound: Outbound;
  /** Undefined for a platform that is a known word and nothing more yet. */
  adapterFor(platform: Platform): Adapter | undefined;
  /** Arms, re-arms or disarms the object of a post. */
  arm(hint: ArmHint): Promise<ArmAnswer>;
  /** Work that may end after the answer. */
  defer(work: Promise<unknown>): void;
}

export interface Context extends Services {
  readonly actor: Actor;
}

/** Built once a request, alarm or cron run; cheap, holds nothing. */
export function createServices(env: Env, outbound: Outbound, defer: (work: Promise<unknown>) => void): Services {
  const clock = systemClock;
  return {
    db: openDb(env.DB),
    tokens: env.TOKENS,
    bucket: env.MEDIA,
    config: readConfig(env),
    clock,
    ids: systemIds(clock),
    outbound,
    adapterFor,
    arm: (hint) => env.POSTS.get(env.POSTS.idFromName(hint.postId)).sync(hint),
    defer,
  };
}
