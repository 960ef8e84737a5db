import type { Services } from "#context.ts";
import { admitUser, refuseUser } from "./store-access.ts";

/**
 * Disables a user from the next request on: sessions, keys, connected apps, webhooks and calendar feeds end, and every sign-in fails as with a wrong password until
 * `enableUser`. For the operator.
 */
export function disableUser(
  services: Pick<Services, "db" | "clock">,
  { userId }: { readonly userId: string },
): Promise<void> {
  return refuseUser(services.db, userId, services.clock.now());
}

/** Lets the user sign in again. What was ended stays ended. For the operator. */
export function enableUser(services: Pick<Services, "db">, { userId }: { readonly userId: string }): Promise<void> {
  return admitUser(services.db, userId);
}
