import type { PlatformClient } from "#platforms/contract.ts";
import { AddressRefused } from "#platforms/client.ts";
import { callPlatform, type PlatformResponse } from "#platforms/response.ts";

/** Null when the server could not be reached; an address that must not be called is not hidden. */
export async function tryServer(
  client: PlatformClient,
  url: string | URL,
  timeoutMs: number,
): Promise<PlatformResponse | null> {
  try {
    return await callPlatform(client, url, { timeoutMs });
  } catch (error) {
    if (error instanceof AddressRefused) {
      throw error;
    }
    return null;
  }
}
