import { MINUTE } from "#core/clock.ts";
import { refuse } from "#core/errors.ts";
import type { Config } from "#config.ts";

/** How long a person may look for the right finger. */
export const CEREMONY_MS = 5 * MINUTE;

/** The name that passkeys are bound to, and the only origin whose answers count. */
export function relyingParty(config: Pick<Config, "authUrl">): { id: string; name: string; origin: string } {
  const url = new URL(config.authUrl);
  return { id: url.hostname, name: "Almanac", origin: url.origin };
}

/**
 * Runs a step of the library, which throws for every answer of a browser that it does not like: whatever is wrong with it,
 * the person can only try again.
 */
export async function attempt<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch {
    return refuse({ code: "invalid_request", message: "that passkey could not be verified: try again" });
  }
}
