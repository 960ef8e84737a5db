import { setRenewal } from "#auth/billing/index.ts";
import type { Services } from "#context.ts";
import { refuse } from "#core/errors.ts";
import { deleteRequest } from "./store-user-deletions.ts";

/**
 * Withdraws a deletion request, so that the person keeps the account. Cancelled posts, ended logins, keys and webhooks
 * do not come back.
 */
export async function withdrawDeletion(
  services: Pick<Services, "db" | "config" | "outbound">,
  { userId }: { readonly userId: string },
): Promise<void> {
  if (!(await deleteRequest(services.db, userId))) {
    refuse({ code: "invalid_state", message: "no deletion is asked for, or it has begun" });
  }
  await setRenewal(services, { userId, renews: true });
}
