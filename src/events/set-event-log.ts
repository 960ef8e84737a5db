import type { Context } from "#context.ts";
import { type EventLog, findEventLog, switchLogOff, switchLogOn } from "./store-event-log.ts";

/** Whether the events of the active workspace are written. */
export async function getEventLog(ctx: Pick<Context, "actor" | "db">): Promise<EventLog> {
  return await findEventLog(ctx.db, ctx.actor.workspaceId);
}

/** Keeps the log of the active workspace without any webhook, or only as long as it has one. */
export async function setEventLog(
  ctx: Pick<Context, "actor" | "clock" | "db">,
  { isSwitchedOn }: { readonly isSwitchedOn: boolean },
): Promise<void> {
  const { workspaceId } = ctx.actor;
  await (isSwitchedOn ? switchLogOn(ctx.db, { workspaceId, now: ctx.clock.now() }) : switchLogOff(ctx.db, workspaceId));
}
