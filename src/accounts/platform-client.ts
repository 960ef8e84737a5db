import type { Platform } from "#core/platform.ts";
import type { Services } from "#context.ts";
import type { Adapter, AppCredentials, Wire } from "#platforms/contract.ts";
import { openWire } from "#platforms/client.ts";

/** A platform that can be asked something: its adapter, the operator's credentials, the way there. */
export interface Reach {
  readonly adapter: Adapter;
  readonly app: AppCredentials;
  readonly wire: Wire;
}

/** Null for a platform that is a known word and nothing more, or whose credentials the operator has not entered. */
export function reach(services: Pick<Services, "adapterFor" | "config" | "world">, platform: Platform): Reach | null {
  const adapter = services.adapterFor(platform);
  const app = services.config.app(platform);
  if (!adapter || !app) {
    return null;
  }
  return { adapter, app, wire: openWire((request) => services.world.platformFetch(request), adapter.hosts) };
}

/** A wire whose calls end early enough for the lease under which they are made. */
export function impatient(wire: Wire, timeoutMs: number): Wire {
  return {
    fetch: async (url, init) =>
      await wire.fetch(url, { ...init, timeoutMs: Math.min(timeoutMs, init?.timeoutMs ?? timeoutMs) }),
  };
}
