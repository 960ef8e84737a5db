import type { Context } from "#context.ts";
import { refuse } from "#core/errors.ts";
import { parseEventId } from "./event-id.ts";
import { readEvent } from "./read-event.ts";
import { findEventRow } from "./store-events.ts";
import type { RecordedEvent } from "./types.ts";

/** Reads an event of the active workspace that has not expired. */
export async function getEvent(
  ctx: Pick<Context, "actor" | "config" | "db">,
  { id }: { readonly id: string },
): Promise<RecordedEvent> {
  const { workspaceId } = ctx.actor;
  const seq = parseEventId(id, workspaceId);
  const row = seq === null ? null : await findEventRow(ctx.db, workspaceId, seq);
  return row ? readEvent(ctx, row) : refuse({ code: "not_found", message: "event not found" });
}
