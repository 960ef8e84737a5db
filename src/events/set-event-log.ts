import type { Context } from "#context.ts";
import { type EventLog, findEventLog, switchLogOff, switchLogOn } from "./store-event-log.ts";

/** Whether the events of the active workspace are recorded. */
export async function getEventLog(ctx: Pick<Context, "actor" | "db">): Promise<EventLog> {
  return await findEventLog(ctx.db, ctx.actor.workspaceId);
}

/**
 * Switches the event log of the active workspace on. Switched off, it records only while the workspace has a webhook.
 */
export async function setEventLog(
  ctx: Pick<Context, "actor" | "clock" | "db">,
  { isSwitchedOn }: { readonly isSwitchedOn: boolean },
): Promise<void> {
  const { workspaceId } = ctx.actor;
  await (isSwitchedOn ? switchLogOn(ctx.db, { workspaceId, now: ctx.clock.now() }) : switchLogOff(ctx.db, workspaceId));
}
