import type { PostPublisherApi } from "#core/arming.ts";
import { PLANS, type Plan } from "#core/plan.ts";
import type { Platform } from "#core/platform.ts";
import type { AppCredentials } from "#platforms/contract.ts";

/** Bindings and variables as wrangler.toml declares them. Secrets are set with `wrangler secret put`. */
export interface Env {
  readonly DB: D1Database;
  /** Confirmation tokens, 300 s. */
  readonly TOKENS: KVNamespace;
  readonly MEDIA: R2Bucket;
  readonly POSTS: DurableObjectNamespace<PostPublisherApi & Rpc.DurableObjectBranded>;
  readonly LIMIT_STARTER: RateLimit;
  readonly LIMIT_GROWTH: RateLimit;
  readonly LIMIT_SCALE: RateLimit;
  /** Per address: junk credentials, sign-in, registration. */
  readonly LIMIT_ANONYMOUS: RateLimit;
  /** Per address and e-mail: guesses at one password. */
  readonly LIMIT_SIGN_IN: RateLimit;
  readonly ORIGIN: string;
  readonly BASE_URL?: string;
  readonly AUTH_URL?: string;
  readonly DOCS_URL?: string;
  /** JSON object of key id to base64 AES-256 key; the newest entry named by TOKEN_KEY_ID seals, all of them open. */
  readonly TOKEN_KEYS: string;
  readonly TOKEN_KEY_ID: string;
  readonly SIGNUP?: string;
  /** A self-hosting operator gives every user this plan, active, without a subscription. */
  readonly PLAN_FOR_ALL?: string;
  readonly [name: string]: unknown;
}

export interface Config {
  readonly origin: string;
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly docsUrl: string;
  readonly tokenKeys: string;
  readonly tokenKeyId: string;
  readonly signup: "first" | "open" | "closed";
  readonly planForAll: Plan | null;
  /** Null when the operator has not entered credentials: the platform answers 400 `platform_not_configured`. */
  app(platform: Platform): AppCredentials | null;
  /** A variable that only one room reads, by name. */
  setting(name: string): string | null;
}

function text(env: Env, name: string): string | null {
  const value = env[name];
  return typeof value === "string" && value !== "" ? value : null;
}

function appCredentials(env: Env, platform: Platform): AppCredentials | null {
  const prefix = `${platform.toUpperCase()}_`;
  const own: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith(prefix) && typeof value === "string" && value !== "") {
      own[name.slice(prefix.length)] = value;
    }
  }
  const { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, ...settings } = own;
  return clientId && clientSecret ? { clientId, clientSecret, settings } : null;
}

export function readConfig(env: Env): Config {
  const origin = env.ORIGIN;
  const signup = text(env, "SIGNUP");
  const planForAll = text(env, "PLAN_FOR_ALL");
  return {
    origin,
    baseUrl: text(env, "BASE_URL") ?? `${origin}/v1`,
    authUrl: text(env, "AUTH_URL") ?? origin,
    docsUrl: text(env, "DOCS_URL") ?? `${origin}/docs`,
    tokenKeys: env.TOKEN_KEYS,
    tokenKeyId: env.TOKEN_KEY_ID,
    signup: signup === "open" || signup === "closed" ? signup : "first",
    planForAll: PLANS.find((plan) => plan === planForAll) ?? null,
    app: (platform) => appCredentials(env, platform),
    setting: (name) => text(env, name),
  };
}
