import type { Services } from "#context.ts";
import { type RevokedAccess, revokeKeysAndGrants } from "./store-access.ts";

/** Revokes every key and every connected app of a user. Browser sessions stay. For the operator. */
export function revokeAccess(
  services: Pick<Services, "db" | "clock">,
  { userId }: { readonly userId: string },
): Promise<RevokedAccess> {
  return revokeKeysAndGrants(services.db, userId, services.clock.now());
}
