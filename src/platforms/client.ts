import type { PlatformClient } from "./contract.ts";

const TIMEOUT_MS = 20_000;

export function hostMatches(patterns: readonly string[], host: string): boolean {
  return patterns.some((pattern) => (pattern.startsWith("*.") ? host.endsWith(pattern.slice(1)) : host === pattern));
}

/** The status of the last response in a step, for the attempt log; null when the last call failed without a response. */
export interface CallLog {
  lastStatus: number | null;
}

/**
 * A client that calls only the hosts that the adapter declared: no upload URL and no redirect may carry a token to any
 * other host.
 */
export function openPlatformClient(
  platformFetch: (request: Request) => Promise<Response>,
  hosts: readonly string[],
  callLog: CallLog = { lastStatus: null },
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
