import type { Clock } from "#core/clock.ts";
import { type Platform, PLATFORMS } from "#core/platform.ts";
import { checkPublicUrl } from "#core/public-address/check-public-url.ts";
import { userAgent } from "#core/user-agent.ts";
import type { Services } from "#context.ts";
import type { Adapter, AppCredentials, Fault, PlatformClient, TokenSet } from "#platforms/contract.ts";
import { type CallLog, openPlatformClient, reachableHosts, type ReachableHosts } from "#platforms/client.ts";
import { temporary } from "#platforms/fault.ts";

type ClientServices = Pick<Services, "config" | "outbound">;

/** A platform that can be called: its adapter and the operator's app credentials. */
export interface ConfiguredPlatform {
  readonly adapter: Adapter;
  readonly app: AppCredentials;
}

/** Null for a platform without an adapter, or without credentials entered by the operator where it needs them. */
export function configuredPlatform(
  services: Pick<Services, "adapterFor" | "config">,
  platform: Platform,
): ConfiguredPlatform | null {
  const adapter = services.adapterFor(platform);
  const app = services.config.app(platform);
  return adapter && app ? { adapter, app } : null;
}

/** The platforms that accounts can be connected to on this installation, in the order of the product. */
export function connectablePlatforms(services: Pick<Services, "adapterFor" | "config">): readonly Platform[] {
  return PLATFORMS.filter((platform) => configuredPlatform(services, platform) !== null);
}

function openClient(
  services: ClientServices,
  adapter: Adapter,
  userNamed: ReachableHosts["userNamed"],
  platformFetch: (request: Request) => Promise<Response>,
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

/** A client for connecting: where users name servers, it reaches every public host. */
export function clientForConnecting(services: ClientServices, adapter: Adapter): PlatformClient {
  return openClient(services, adapter, "any", (request) => services.outbound.platformFetch(request));
}

/** A client for the calls of one login: it reaches the adapter's hosts and those that the login fixed for itself. */
export function clientForLogin(
  services: ClientServices,
  adapter: Adapter,
  login: Pick<TokenSet, "hosts">,
  platformFetch: (request: Request) => Promise<Response> = (request) => services.outbound.platformFetch(request),
  callLog?: CallLog,
): PlatformClient {
  return openClient(services, adapter, login.hosts ?? [], platformFetch, callLog);
}

/** A client whose calls end before the lease under which they are made. */
export function withTimeoutCap(client: PlatformClient, timeoutMs: number): PlatformClient {
  return {
    fetch: async (url, init) =>
      await client.fetch(url, { ...init, timeoutMs: Math.min(timeoutMs, init?.timeoutMs ?? timeoutMs) }),
  };
}

/** A client whose calls all end within `totalMs` from now, because somebody waits for the page. */
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
