import type { Services } from "#context.ts";
import { type RevokedAccess, revokeAllAccess } from "./store-access.ts";

/** Ends every key, connected app, webhook and calendar feed of a user, for the operator. Browser sessions continue. */
export function revokeAccess(
  services: Pick<Services, "db" | "clock">,
  { userId }: { readonly userId: string },
): Promise<RevokedAccess> {
  return revokeAllAccess(services.db, userId, services.clock.now());
}
