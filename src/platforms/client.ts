import type { PlatformClient } from "./contract.ts";

const TIMEOUT_MS = 20_000;

export function hostMatches(patterns: readonly string[], host: string): boolean {
  return patterns.some((pattern) => (pattern.startsWith("*.") ? host.endsWith(pattern.slice(1)) : host === pattern));
}

/** Notes the last answer of a step, so that the attempt log tells what the platform really said. */
export interface WireLog {
  lastStatus: number | null;
}

/**
 * A client that reaches only the hosts an adapter declared: a token must never follow an upload address or a redirect to
 * a stranger.
 */
export function openPlatformClient(
  platformFetch: (request: Request) => Promise<Response>,
  hosts: readonly string[],
  callLog: WireLog = { lastStatus: null },
): PlatformClient {
  return {
    async fetch(url, init = {}) {
      const target = new URL(url);
      if (target.protocol !== "https:" || !hostMatches(hosts, target.hostname)) {
        throw new Error(`host not declared by the adapter: ${target.hostname}`);
      }
      callLog.lastStatus = null;
      const response = await platformFetch(
        new Request(target, {
          method: init.method ?? "GET",
          ...(init.headers && { headers: init.headers }),
          ...(init.body !== undefined && { body: init.body }),
          redirect: "manual",
          signal: AbortSignal.timeout(init.timeoutMs ?? TIMEOUT_MS),
        }),
      );
      callLog.lastStatus = response.status;
      return response;
    },
  };
}
