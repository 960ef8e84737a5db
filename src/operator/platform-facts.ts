import { clientIdentity, oauthMethodOf, redirectUriPattern } from "#accounts/index.ts";
import type { Services } from "#context.ts";
import { type Platform, PLATFORMS } from "#core/platform.ts";
import type { Adapter, AppCredentials, PlatformClient } from "#platforms/contract.ts";
import { extraScopes, optionScopesOf } from "#platforms/extra-scopes.ts";
import { OPERATOR_CHECKS } from "#platforms/operator-registry.ts";
import { splitScopes } from "#platforms/oauth-token.ts";
import type { PlatformFacts } from "./facts.ts";
import { countAccounts } from "./store-facts.ts";

/** A client that makes no calls, so that the login's address must be computed without any. */
const NO_CALLS: PlatformClient = {
  fetch: () => Promise.reject(new Error("this login sends requests")),
};

/** The scopes that a login requests. Null if they depend on the server that a person names. */
async function scopesOf(adapter: Adapter, app: AppCredentials, origin: string): Promise<readonly string[] | null> {
  const method = oauthMethodOf(adapter);
  const identity = clientIdentity(origin, adapter.platform);
  const scope = method?.clientMetadata?.(app, identity)["scope"];
  if (typeof scope === "string") {
    return splitScopes(scope);
  }
  if (method === undefined || method.input.length > 0) {
    return null;
  }
  const started = await method.start(NO_CALLS, app, {
    ...identity,
    state: "state",
    codeVerifier: "verifier",
    codeChallenge: "challenge",
    input: {},
    registrations: {
      find: () => Promise.resolve(null),
      keep: (_server, registration) => Promise.resolve(registration),
      forget: () => Promise.resolve(),
    },
    now: 0,
  });
  return started.ok ? splitScopes(started.value.url.searchParams.get("scope") ?? "") : null;
}

function credentialsOf({ config }: Pick<Services, "config">, platform: Platform) {
  const names = ["CLIENT_ID", "CLIENT_SECRET"].map((name) => `${platform.toUpperCase()}_${name}`);
  return { names, missing: names.filter((name) => config.setting(name) === null) };
}

async function factsOf(
  services: Pick<Services, "config" | "adapterFor">,
  adapter: Adapter,
  accounts: number,
): Promise<PlatformFacts> {
  const { platform, operatorCredentials } = adapter;
  const { origin } = services.config;
  const configured = services.config.app(platform);
  const { names, missing } = credentialsOf(services, platform);
  const checks = OPERATOR_CHECKS[platform];
  const app = configured ?? { clientId: "", clientSecret: "", settings: {} };
  const options = optionScopesOf(adapter, app.settings);
  const needsApp = operatorCredentials === "required";
  return {
    platform,
    needsApp,
    state: configured ? "configured" : needsApp && missing.length < names.length ? "half" : "not_configured",
    missing: configured ? [] : missing,
    shapeProblems: configured ? checks.shapeProblems(app) : [],
    redirectUri: redirectUriPattern(origin, adapter),
    scopes: configured ? await scopesOf(adapter, app, origin) : null,
    unusedScopes: extraScopes(app.settings).filter((scope) => !options.some(({ scopes }) => scopes.includes(scope))),
    unavailableOptions: options.filter(({ isAvailable }) => !isAvailable).map(({ option }) => option),
    review: checks.reviewLevel(app),
    apiVersion: (configured && checks.apiVersion?.(app)) ?? null,
    accounts,
  };
}

/** Reads the facts about every platform, in the product's order. */
export async function readPlatformFacts(
  services: Pick<Services, "db" | "config" | "adapterFor">,
): Promise<readonly PlatformFacts[]> {
  const accounts = await countAccounts(services.db);
  const adapters = PLATFORMS.flatMap((platform) => services.adapterFor(platform) ?? []);
  return await Promise.all(adapters.map((adapter) => factsOf(services, adapter, accounts.get(adapter.platform) ?? 0)));
}
