import { MINUTE } from "#core/clock.ts";
import { refuse } from "#core/errors.ts";
import type { Config } from "#config.ts";

/** How long (ms) the user has to answer the browser's passkey prompt. */
export const CHALLENGE_LIFETIME_MS = 5 * MINUTE;

/** The host name to which passkeys are bound, and the only origin from which the service accepts passkey responses. */
export function relyingParty(config: Pick<Config, "authUrl">): { id: string; name: string; origin: string } {
  const url = new URL(config.authUrl);
  return { id: url.hostname, name: "Almanac", origin: url.origin };
}

/**
 * Runs a check of the passkey library, which throws for every invalid browser response. All reasons get the same
 * refusal, because the user can only try again.
 */
export async function verifyOrRefuse<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch {
    return refuse({ code: "invalid_request", message: "that passkey could not be verified: try again" });
  }
}
