import type { HtmlEscapedString } from "hono/utils/html";
import type { Actor } from "#core/actor.ts";
import type { ArmResult, ArmHint, KeptPlansApi, RunnerSummary } from "#core/arming.ts";
import { type Clock, systemClock } from "#core/clock.ts";
import type { DatabaseWatchApi } from "#core/database-watch.ts";
import type { RemoteResponse } from "#core/fetch-answer.ts";
import { type Ids, systemIds } from "#core/ids.ts";
import { createMailer, type Mailer } from "#core/mailer.ts";
import type { Platform } from "#core/platform.ts";
import type { WebhookSenderApi } from "#core/webhook-sender.ts";
import { type Db, openDb } from "#db/client.ts";
import type { Adapter } from "#platforms/contract.ts";
import { adapterFor } from "#platforms/registry.ts";
import { type Config, type Env, readConfig } from "./config.ts";

/**
 * Sends all outbound requests: in production over the network. In the sandbox, simulators answer them in the same
 * process.
 */
export interface Outbound {
  /** Sends a request to a platform. Adapters do not call it directly; they get a `PlatformClient`. */
  platformFetch(request: Request): Promise<RemoteResponse>;
  /** Sends a request to any public URL (media sources, client metadata documents). */
  publicFetch(request: Request): Promise<RemoteResponse>;
  /**
   * The URL at which a user's browser opens a page of a platform. Only in the sandbox, `login` names the user who logs
   * in.
   */
  browserUrl(url: URL, login?: string): URL;
  /** An origin from which media can be imported although it is not public HTTPS; null in production. */
  readonly trustedMediaOrigin: string | null;
  /** What the pages offer in a workspace without posts. Only the sandbox has it. */
  readonly offerToBeginWith?: HtmlEscapedString;
}

/** The R2 bucket that stores the files of media. */
export type Bucket = Pick<R2Bucket, "head" | "get" | "put" | "delete" | "list">;

/** Cloudflare's image transformations, as far as this service uses them. */
export interface Images {
  /** Transforms an image. Throws Cloudflare's error if that fails. */
  transform(
    image: ReadableStream<Uint8Array>,
    change: ImageTransform,
    output: ImageOutputOptions,
  ): Promise<Uint8Array<ArrayBuffer>>;
  /** Streams an image in another format. Throws Cloudflare's error if that fails. */
  convert(image: ReadableStream<Uint8Array>, output: ImageOutputOptions): Promise<ReadableStream<Uint8Array>>;
}

/**
 * All dependencies of use cases. A use case declares only the members that it uses (`Pick`), so that tests need no
 * others.
 */
export interface Services {
  readonly db: Db;
  readonly tokens: Pick<KVNamespace, "get" | "put">;
  readonly bucket: Bucket;
  /** Null if the operator has not bound Cloudflare's image transformations; such images are then refused. */
  readonly images: Images | null;
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly outbound: Outbound;
  adapterFor(platform: Platform): Adapter | undefined;
  /** Sets, changes or deletes the alarm of a post's Durable Object. */
  arm(hint: ArmHint): Promise<ArmResult>;
  /** Makes the Durable Object of an overdue post set its alarm again. */
  rearm(postId: string): Promise<void>;
  /** The Durable Object of a user, which keeps the plans of the user's last previews in memory. */
  keptPlans(userId: string): KeptPlansApi;
  /** What the Durable Object of a post stores about it. Null if it stores nothing. */
  inspectRunner(postId: string): Promise<RunnerSummary | null>;
  /** The Durable Object of a webhook. */
  sender(webhookId: string): WebhookSenderApi;
  readonly watch: DatabaseWatchApi;
  /** Sends e-mails. Null if the operator has not configured e-mail. */
  readonly mailer: Mailer | null;
  /** Lets work continue after the response is sent. */
  defer(work: Promise<unknown>): void;
}

export interface Context extends Services {
  readonly actor: Actor;
}

/**
 * The location in which Cloudflare creates a Durable Object. Cloudflare decides at the first call and never moves the
 * object, so every first call must pass it.
 */
function objectOptions({ objectsLocation }: Config): DurableObjectNamespaceGetDurableObjectOptions {
  return objectsLocation === null ? {} : { locationHint: objectsLocation };
}

function postObject({ POSTS }: Env, config: Config, postId: string) {
  return POSTS.get(POSTS.idFromName(postId), objectOptions(config));
}

function createImages(binding: ImagesBinding): Images {
  return {
    async transform(image, change, output) {
      const result = await binding.input(image).transform(change).output(output);
      return new Uint8Array(await result.response().arrayBuffer());
    },
    async convert(image, output) {
      return (await binding.input(image).output(output)).image();
    },
  };
}

type PermanentServices = Omit<Services, "outbound" | "defer">;

/** Services that live as long as the isolate, by bindings object. They hold no data of a request. */
const permanentServices = new WeakMap<Env, PermanentServices>();

function createPermanentServices(env: Env): PermanentServices {
  const clock = systemClock;
  const config = readConfig(env);
  const databaseWatch = () => env.WATCH.get(env.WATCH.idFromName("database"), objectOptions(config));
  return {
    db: openDb(env.DB),
    tokens: env.TOKENS,
    bucket: env.MEDIA,
    images: env.IMAGES === undefined ? null : createImages(env.IMAGES),
    config,
    clock,
    ids: systemIds(clock),
    adapterFor,
    arm: (hint) => postObject(env, config, hint.postId).sync(hint),
    rearm: (postId) => postObject(env, config, postId).rearm(postId),
    // Pass no location, so that Cloudflare creates the object near its user's first preview.
    keptPlans: (userId) => env.POSTS.get(env.POSTS.idFromName(userId)),
    inspectRunner: (postId) => postObject(env, config, postId).inspect(),
    sender: (webhookId) => env.SENDERS.get(env.SENDERS.idFromName(webhookId), objectOptions(config)),
    watch: {
      highest: () => databaseWatch().highest(),
      remember: (mark) => databaseWatch().remember(mark),
    },
    mailer: createMailer(env),
  };
}

/** Creates the services of one request, alarm or cron run. It is cheap, because it keeps no state. */
export function createServices(env: Env, outbound: Outbound, defer: (work: Promise<unknown>) => void): Services {
  let permanent = permanentServices.get(env);
  if (permanent === undefined) {
    permanent = createPermanentServices(env);
    permanentServices.set(env, permanent);
  }
  return { ...permanent, outbound, defer };
}
