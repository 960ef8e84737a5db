import type { Platform } from "#core/platform.ts";
import type { Services } from "#context.ts";
import type { Adapter, AppCredentials, Fault, PlatformClient } from "#platforms/contract.ts";
import { openPlatformClient } from "#platforms/client.ts";
import { temporary } from "#platforms/fault.ts";

/** A platform that can be called: its adapter, the operator's app credentials, and the HTTP client for its hosts. */
export interface ConfiguredPlatform {
  readonly adapter: Adapter;
  readonly app: AppCredentials;
  readonly client: PlatformClient;
}

/** Null for a platform without an adapter, or without credentials entered by the operator. */
export function platformClient(
  services: Pick<Services, "adapterFor" | "config" | "outbound">,
  platform: Platform,
): ConfiguredPlatform | null {
  const adapter = services.adapterFor(platform);
  const app = services.config.app(platform);
  if (!adapter || !app) {
    return null;
  }
  return {
    adapter,
    app,
    client: openPlatformClient((request) => services.outbound.platformFetch(request), adapter.hosts),
  };
}

/** A client whose calls end before the lease under which they are made. */
export function withTimeoutCap(client: PlatformClient, timeoutMs: number): PlatformClient {
  return {
    fetch: async (url, init) =>
      await client.fetch(url, { ...init, timeoutMs: Math.min(timeoutMs, init?.timeoutMs ?? timeoutMs) }),
  };
}

export function platformNotConfigured(): Fault {
  return temporary(
    "The operator of this service has not set up this platform.",
    { httpStatus: null },
    { code: "platform_not_configured", category: "internal", whoMustAct: "operator" },
  );
}
