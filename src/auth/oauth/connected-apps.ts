import { refuse } from "#core/errors.ts";
import type { Services } from "#context.ts";
import { parseConfirms } from "#auth/parse-inputs.ts";
import { type ConnectedApp, revokeGrant, selectApps, updateGrantConfirms } from "./store.ts";

/** The apps that currently have access to the user's account. */
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

/** Changes who confirms the previews of an app. The next call of the app uses the new setting. */
export async function setAppConfirms(
  services: Pick<Services, "db">,
  input: { userId: string; grantId: string; confirms: string },
): Promise<void> {
  if (!(await updateGrantConfirms(services.db, { ...input, confirms: parseConfirms(input.confirms) }))) {
    refuse({ code: "not_found", message: "connected app not found" });
  }
}
