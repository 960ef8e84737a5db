import type { Services } from "#context.ts";
import type { UserRole } from "#db/schema.ts";
import { updateRole } from "./store-access.ts";

/** Makes the user an operator of the installation; null ends this. Only operators' commands use it. */
export function setRole(
  services: Pick<Services, "db">,
  { userId, role }: { readonly userId: string; readonly role: UserRole | null },
): Promise<void> {
  return updateRole(services.db, userId, role);
}
