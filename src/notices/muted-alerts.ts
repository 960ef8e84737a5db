import type { Context } from "#context.ts";
import { ALERT_KINDS, type AlertKind } from "#core/alert.ts";
import { selectMutedAlerts, updateMutedAlerts } from "./store-notices.ts";

/** The kinds of notices about which the user wants no mail. The dashboard still lists them. */
export async function getMutedAlerts({ actor, db }: Pick<Context, "actor" | "db">): Promise<readonly AlertKind[]> {
  return await selectMutedAlerts(db, actor);
}

/** Sets the kinds of notices about which the user wants no mail, for all workspaces. */
export async function setMutedAlerts(
  { actor, db }: Pick<Context, "actor" | "db">,
  kinds: readonly AlertKind[],
): Promise<void> {
  await updateMutedAlerts(
    db,
    actor,
    ALERT_KINDS.filter((kind) => kinds.includes(kind)),
  );
}
