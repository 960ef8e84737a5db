import type { KeptPlansApi, PostPublisherApi } from "#core/arming.ts";
import { isJsonObject } from "#core/json.ts";
import { log } from "#core/log.ts";
import type { DatabaseWatchApi } from "#core/database-watch.ts";
import type { WebhookSenderApi } from "#core/webhook-sender.ts";
import {
  LIMIT_NAMES,
  type LimitKey,
  type LimitOverrides,
  MIN_ARCHIVE_AFTER_DAYS,
  PLANS,
  type Plan,
  type PlanLimits,
} from "#core/plan.ts";
import type { Platform } from "#core/platform.ts";
import type { AppCredentials } from "#platforms/contract.ts";
import { adapterFor } from "#platforms/registry.ts";

/**
 * The bindings of wrangler.toml, and the variables and secrets that `npm run deploy` sets. docs/guide/operate.md
 * explains each.
 */
export interface Env {
  readonly DB: D1Database;
  /** Plans of previews, by confirmation token. They expire after 300 s. */
  readonly TOKENS: KVNamespace;
  readonly MEDIA: R2Bucket;
  /** Cloudflare's image transformations. Without them the service refuses images that do not fit a platform. */
  readonly IMAGES?: ImagesBinding;
  readonly POSTS: DurableObjectNamespace<PostPublisherApi & KeptPlansApi & Rpc.DurableObjectBranded>;
  readonly SENDERS: DurableObjectNamespace<WebhookSenderApi & Rpc.DurableObjectBranded>;
  readonly WATCH: DurableObjectNamespace<DatabaseWatchApi & Rpc.DurableObjectBranded>;
  readonly LIMIT_STARTER: RateLimit;
  readonly LIMIT_GROWTH: RateLimit;
  readonly LIMIT_SCALE: RateLimit;
  /** How many requests a user may make, with all credentials together. */
  readonly LIMIT_USER_STARTER: RateLimit;
  readonly LIMIT_USER_GROWTH: RateLimit;
  readonly LIMIT_USER_SCALE: RateLimit;
  /** How many requests an IP address may make with invalid credentials, for sign-in and for registration. */
  readonly LIMIT_ANONYMOUS: RateLimit;
  /** How many passwords an IP address may try for one e-mail address. */
  readonly LIMIT_SIGN_IN: RateLimit;
  readonly ORIGIN: string;
  readonly BASE_URL?: string;
  readonly AUTH_URL?: string;
  readonly DOCS_URL?: string;
  /**
   * A JSON object from key id to base64 AES-256 key. The key that TOKEN_KEY_ID names encrypts; every key can decrypt.
   */
  readonly TOKEN_KEYS: string;
  readonly TOKEN_KEY_ID: string;
  readonly SIGNUP?: string;
  readonly SETUP_CODE?: string;
  /** The credential with which `npm run doctor` reads the state of the installation. */
  readonly OPERATOR_KEY?: string;
  /**
   * The plan that every user has without a subscription. `none` requires a subscription even if payment is not
   * configured.
   */
  readonly PLAN_FOR_ALL?: string;
  /** The plan limits that the operator changes, as JSON. */
  readonly QUOTAS?: string;
  readonly [name: string]: unknown;
}

/**
 * The locations in which Cloudflare can create a Durable Object: https://developers.cloudflare.com/durable-objects/reference/data-location/
 */
const OBJECT_LOCATIONS = [
  "wnam",
  "enam",
  "sam",
  "weur",
  "eeur",
  "apac",
  "apac-ne",
  "apac-se",
  "oc",
  "afr",
  "me",
] as const satisfies readonly DurableObjectLocationHint[];

export interface Config {
  readonly origin: string;
  /** The URL of the API. */
  readonly baseUrl: string;
  /** The URL of the MCP server. It has the same origin as the API. */
  readonly mcpUrl: string;
  readonly authUrl: string;
  readonly docsUrl: string;
  readonly tokenKeys: string;
  readonly tokenKeyId: string;
  readonly signup: "first" | "open" | "closed";
  /** The code that the first user must enter on a public sign-up page. Null until the operator has set it. */
  readonly setupCode: string | null;
  /** Whether the first user must enter the operator's setup code. */
  readonly asksSetupCode: boolean;
  /** The credential of the operator's programs. If it is null, the service tells these programs nothing. */
  readonly operatorKey: string | null;
  readonly planForAll: Plan | null;
  /** Where Cloudflare creates the Durable Objects of posts and webhooks. Null means near their first caller. */
  readonly objectsLocation: DurableObjectLocationHint | null;
  readonly limitOverrides: LimitOverrides;
  /** The maximum size of the database. The operator gets an alert at 80 % of it. */
  readonly databaseLimitBytes: number;
  readonly sendsEmail: boolean;
  /**
   * The app credentials for a platform. Null if the platform needs some that the operator has not set; calls for it
   * then get 400 `platform_not_configured`.
   */
  app(platform: Platform): AppCredentials | null;
  /**
   * True if the operator has set PUBLISHING=hold, for example during a restore. The service then claims, prepares and
   * arms no post.
   */
  readonly publishingHeld: boolean;
  /** The value of a variable that only one module needs; null if it is not set. */
  setting(name: string): string | null;
}

function readText(env: Env, name: string): string | null {
  const value = env[name];
  return typeof value === "string" && value !== "" ? value : null;
}

function readAppCredentials(env: Env, platform: Platform): AppCredentials | null {
  const prefix = `${platform.toUpperCase()}_`;
  const platformVariables: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith(prefix) && typeof value === "string" && value !== "") {
      platformVariables[name.slice(prefix.length)] = value;
    }
  }
  const {
    CLIENT_ID: clientId = "",
    CLIENT_SECRET: clientSecret = "",
    CLIENT_SECRET_NEXT: nextClientSecret,
    ...settings
  } = platformVariables;
  const isComplete = clientId !== "" && clientSecret !== "";
  return isComplete || adapterFor(platform)?.operatorCredentials === "none"
    ? { clientId, clientSecret, settings, ...(nextClientSecret !== undefined && { nextClientSecret }) }
    : null;
}

/**
 * The plan that all users get. Without payment nobody could pay and every user would lose access after the trial, so
 * all get a plan. One payment setting counts as configured, because an incomplete configuration must not give everybody
 * a free plan.
 */
function planForAll(env: Env): Plan | null {
  const name = readText(env, "PLAN_FOR_ALL");
  if (name === null) {
    return readText(env, "STRIPE_SECRET_KEY") === null ? "scale" : null;
  }
  return PLANS.find((plan) => plan === name) ?? null;
}

let isInvalidLocationLogged = false;

/**
 * Where to create Durable Objects. An unknown location is logged once and ignored: it only saves milliseconds, and
 * posts must be published without it.
 */
function objectsLocation(env: Env): DurableObjectLocationHint | null {
  const name = readText(env, "OBJECTS_LOCATION");
  const location = OBJECT_LOCATIONS.find((one) => one === name) ?? null;
  if (name !== null && location === null && !isInvalidLocationLogged) {
    isInvalidLocationLogged = true;
    log("error", "config.invalid_setting", { name: "OBJECTS_LOCATION", value: name, allowed: [...OBJECT_LOCATIONS] });
  }
  return location;
}

/**
 * The limits that `QUOTAS` can change. Request limits are excluded, because the rate limiter reads them from
 * wrangler.toml.
 */
const OVERRIDABLE = (Object.keys(LIMIT_NAMES) as LimitKey[]).filter((key) => !key.toLowerCase().includes("requests"));

/**
 * Parses `QUOTAS`. A mistake throws an error that names it, because nobody would notice a limit that the service
 * ignores.
 */
function readLimitOverrides(text: string | null): LimitOverrides {
  const overrides = new Map<string, Partial<PlanLimits>>();
  for (const [plan, numbers] of Object.entries(parseQuotas(text))) {
    if (plan !== "trial" && !PLANS.some((known) => known === plan)) {
      throw new Error(`QUOTAS names ${plan}: use ${PLANS.join(", ")} or trial`);
    }
    overrides.set(
      plan,
      Object.fromEntries(Object.entries(numbers).map(([name, value]) => readLimit(plan, name, value))),
    );
  }
  return Object.fromEntries(overrides);
}

function parseQuotas(text: string | null): Record<string, object> {
  try {
    const parsed: unknown = JSON.parse(text ?? "{}");
    if (isJsonObject(parsed) && Object.values(parsed).every(isJsonObject)) {
      return parsed as Record<string, object>;
    }
  } catch {
    // Text that is no JSON gets the error below, which shows the expected form.
  }
  throw new Error('QUOTAS must be JSON like {"scale":{"previews_per_hour":20000}}');
}

function readLimit(plan: string, name: string, value: unknown): [LimitKey, number] {
  const key = OVERRIDABLE.find((known) => LIMIT_NAMES[known] === name);
  if (key === undefined) {
    throw new Error(`QUOTAS.${plan} names ${name}: use ${OVERRIDABLE.map((known) => LIMIT_NAMES[known]).join(", ")}`);
  }
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) {
    throw new Error(`QUOTAS.${plan}.${name} must be a whole number of at least 0`);
  }
  if (key === "archiveAfterDays" && value < MIN_ARCHIVE_AFTER_DAYS) {
    throw new Error(`QUOTAS.${plan}.${name} must be at least ${MIN_ARCHIVE_AFTER_DAYS}`);
  }
  return [key, value];
}

function readSignup(env: Env): Config["signup"] {
  const signup = readText(env, "SIGNUP");
  return signup === "open" || signup === "closed" ? signup : "first";
}

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** The largest size of a D1 database on the paid plan: https://developers.cloudflare.com/d1/platform/limits/ */
const DATABASE_LIMIT_BYTES = 10_000_000_000;

function databaseLimitBytes(env: Env): number {
  const text = readText(env, "DATABASE_LIMIT_BYTES");
  const bytes = text === null ? DATABASE_LIMIT_BYTES : Number(text);
  if (!Number.isSafeInteger(bytes) || bytes <= 0) {
    throw new Error("DATABASE_LIMIT_BYTES must be a whole number of bytes, like 500000000");
  }
  return bytes;
}

export function readConfig(env: Env): Config {
  const origin = env.ORIGIN;
  const baseUrl = readText(env, "BASE_URL") ?? `${origin}/v1`;
  const signup = readSignup(env);
  const apps = new Map<Platform, AppCredentials | null>();
  return {
    origin,
    baseUrl,
    mcpUrl: `${new URL(baseUrl).origin}/mcp`,
    authUrl: readText(env, "AUTH_URL") ?? origin,
    docsUrl: readText(env, "DOCS_URL") ?? `${origin}/docs`,
    tokenKeys: env.TOKEN_KEYS,
    tokenKeyId: env.TOKEN_KEY_ID,
    signup,
    setupCode: readText(env, "SETUP_CODE"),
    // Only a public address needs a setup code: there, a stranger who finds the sign-up page first would own the
    // service.
    asksSetupCode: signup === "first" && !LOOPBACK.has(new URL(origin).hostname),
    operatorKey: readText(env, "OPERATOR_KEY"),
    planForAll: planForAll(env),
    objectsLocation: objectsLocation(env),
    limitOverrides: readLimitOverrides(readText(env, "QUOTAS")),
    databaseLimitBytes: databaseLimitBytes(env),
    sendsEmail: env["EMAIL"] !== undefined && readText(env, "MAIL_FROM") !== null,
    app(platform) {
      let app = apps.get(platform);
      if (app === undefined) {
        app = readAppCredentials(env, platform);
        apps.set(platform, app);
      }
      return app;
    },
    publishingHeld: readText(env, "PUBLISHING") === "hold",
    setting: (name) => readText(env, name),
  };
}
