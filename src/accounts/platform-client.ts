import type { Platform } from "#core/platform.ts";
import type { Services } from "#context.ts";
import type { Adapter, AppCredentials, PlatformClient } from "#platforms/contract.ts";
import { openPlatformClient } from "#platforms/client.ts";

/** A platform that can be asked something: its adapter, the operator's credentials, the way there. */
export interface Reach {
  readonly adapter: Adapter;
  readonly app: AppCredentials;
  readonly client: PlatformClient;
}

/** Null for a platform that is a known word and nothing more, or whose credentials the operator has not entered. */
export function reach(
  services: Pick<Services, "adapterFor" | "config" | "outbound">,
  platform: Platform,
): Reach | null {
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

/** A client whose calls end early enough for the lease under which they are made. */
export function impatient(client: PlatformClient, timeoutMs: number): PlatformClient {
  return {
    fetch: async (url, init) =>
      await client.fetch(url, { ...init, timeoutMs: Math.min(timeoutMs, init?.timeoutMs ?? timeoutMs) }),
  };
}
