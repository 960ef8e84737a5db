import type { Services } from "#context.ts";
import { type RevokedAccess, revokeAllAccess } from "./store-access.ts";

/** Ends every key, connected app, webhook and calendar feed of a user. Browser sessions stay. For the operator. */
export function revokeAccess(
  services: Pick<Services, "db" | "clock">,
  { userId }: { readonly userId: string },
): Promise<RevokedAccess> {
  return revokeAllAccess(services.db, userId, services.clock.now());
}
