import { refuse } from "#core/errors.ts";
import type { Services } from "#context.ts";
import { parseConfirms } from "#auth/parse-inputs.ts";
import { type ConnectedApp, revokeGrant, selectApps, updateGrantConfirms } from "./store.ts";

/** Lists the apps to which the user has given access and that still have it. */
export function listApps(services: Pick<Services, "db" | "clock">, input: { userId: string }): Promise<ConnectedApp[]> {
  return selectApps(services.db, input.userId, services.clock.now());
}

/** Revokes an app's access; its next call is refused. */
export async function revokeApp(
  services: Pick<Services, "db" | "clock">,
  input: { userId: string; grantId: string },
): Promise<void> {
  if (!(await revokeGrant(services.db, input.userId, input.grantId, services.clock.now()))) {
    refuse({ code: "not_found", message: "connected app not found" });
  }
}

/** Sets who confirms what an app previews. It applies from the app's next call. */
export async function setAppConfirms(
  services: Pick<Services, "db">,
  input: { userId: string; grantId: string; confirms: string },
): Promise<void> {
  if (!(await updateGrantConfirms(services.db, { ...input, confirms: parseConfirms(input.confirms) }))) {
    refuse({ code: "not_found", message: "connected app not found" });
  }
}
