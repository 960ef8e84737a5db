import type { PlatformClient, PlatformRequestInit } from "#platforms/contract.ts";
import { AddressRefused } from "#platforms/client.ts";
import { callPlatform, type PlatformResponse } from "#platforms/response.ts";

/** Operators of servers ask for a name to recognize a client by. */
export const userAgentHeader = { "user-agent": "Almanac/1.0" } as const;

/** Every call of this adapter to a server, but for streams. */
export async function callServer(
  client: PlatformClient,
  url: string | URL,
  init: PlatformRequestInit = {},
): Promise<PlatformResponse> {
  return await callPlatform(client, url, { ...init, headers: { ...init.headers, ...userAgentHeader } });
}

/** Null when the server could not be reached; an address that must not be called is not hidden. */
export async function tryServer(
  client: PlatformClient,
  url: string | URL,
  timeoutMs: number,
): Promise<PlatformResponse | null> {
  try {
    return await callServer(client, url, { timeoutMs });
  } catch (error) {
    if (error instanceof AddressRefused) {
      throw error;
    }
    return null;
  }
}
