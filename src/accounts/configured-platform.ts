import type { Clock } from "#core/clock.ts";
import type { RemoteFetch } from "#core/fetch-answer.ts";
import { type Platform, PLATFORMS } from "#core/platform.ts";
import { checkPublicUrl } from "#core/public-address/check-public-url.ts";
import { userAgent } from "#core/user-agent.ts";
import type { Services } from "#context.ts";
import type { Adapter, AppCredentials, Fault, PlatformClient, TokenSet } from "#platforms/contract.ts";
import { type CallLog, openPlatformClient, reachableHosts, type ReachableHosts } from "#platforms/client.ts";
import { temporary } from "#platforms/fault.ts";

type ClientServices = Pick<Services, "config" | "outbound">;

/** A platform that this installation can call: its adapter and the operator's app credentials. */
export interface ConfiguredPlatform {
  readonly adapter: Adapter;
  readonly app: AppCredentials;
}

/**
 * Finds the adapter and app credentials of a platform. Null if it has no adapter, or if the operator has not entered
 * the credentials that it needs.
 */
export function configuredPlatform(
  services: Pick<Services, "adapterFor" | "config">,
  platform: Platform,
): ConfiguredPlatform | null {
  const adapter = services.adapterFor(platform);
  const app = services.config.app(platform);
  return adapter && app ? { adapter, app } : null;
}

/** The platforms whose accounts users can connect on this installation, in the product's order. */
export function connectablePlatforms(services: Pick<Services, "adapterFor" | "config">): readonly Platform[] {
  return PLATFORMS.filter((platform) => configuredPlatform(services, platform) !== null);
}

function openClient(
  services: ClientServices,
  adapter: Adapter,
  userNamed: ReachableHosts["userNamed"],
  platformFetch: RemoteFetch,
  callLog?: CallLog,
): PlatformClient {
  const { outbound, config } = services;
  const rules = {
    publicFetch: (request: Request) => outbound.publicFetch(request),
    resolver: config.setting("MEDIA_DOH_URL"),
    trustedOrigin: null,
  };
  const hosts = reachableHosts(adapter, {
    userNamed,
    checkAddress: async (url) => await checkPublicUrl(rules, url.href),
    userAgent: userAgent(config.origin),
  });
  return openPlatformClient(platformFetch, hosts, callLog);
}

/**
 * Creates a client for connecting accounts. Where users can name their own server, the client may call every public
 * host.
 */
export function clientForConnecting(services: ClientServices, adapter: Adapter): PlatformClient {
  return openClient(services, adapter, "any", (request) => services.outbound.platformFetch(request));
}

/**
 * Creates a client for one login. It may call only the adapter's hosts and the hosts that were stored with the login.
 */
export function clientForLogin(
  services: ClientServices,
  adapter: Adapter,
  login: Pick<TokenSet, "hosts">,
  platformFetch: RemoteFetch = (request) => services.outbound.platformFetch(request),
  callLog?: CallLog,
): PlatformClient {
  return openClient(services, adapter, login.hosts ?? [], platformFetch, callLog);
}

/** Limits every call of the client to `timeoutMs`, so that calls end before the caller's lease on the tokens does. */
export function withTimeoutCap(client: PlatformClient, timeoutMs: number): PlatformClient {
  return {
    fetch: async (url, init) =>
      await client.fetch(url, { ...init, timeoutMs: Math.min(timeoutMs, init?.timeoutMs ?? timeoutMs) }),
  };
}

/** Limits all calls of the client together to `totalMs` from now, because a user waits for the page. */
export function withDeadline(client: PlatformClient, clock: Clock, totalMs: number): PlatformClient {
  const deadline = clock.now() + totalMs;
  return {
    fetch: async (url, init) => {
      const remainingMs = Math.max(1, deadline - clock.now());
      return await client.fetch(url, { ...init, timeoutMs: Math.min(remainingMs, init?.timeoutMs ?? remainingMs) });
    },
  };
}

export function platformNotConfigured(): Fault {
  return temporary(
    "The operator of this service has not set up this platform.",
    { httpStatus: null },
    { code: "platform_not_configured", category: "internal", whoMustAct: "operator" },
  );
}
