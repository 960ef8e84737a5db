import type { Services } from "#context.ts";
import { admitUser, refuseUser } from "./store-access.ts";

/**
 * Disables a user for the operator, from the next request on. Sessions, keys, connected apps, webhooks and calendar
 * feeds end. Every sign-in fails as with a wrong password, until `enableUser`.
 */
export function disableUser(
  services: Pick<Services, "db" | "clock">,
  { userId }: { readonly userId: string },
): Promise<void> {
  return refuseUser(services.db, userId, services.clock.now());
}

/** Lets a disabled user sign in again, for the operator. Ended keys, apps and webhooks stay ended. */
export function enableUser(services: Pick<Services, "db">, { userId }: { readonly userId: string }): Promise<void> {
  return admitUser(services.db, userId);
}
