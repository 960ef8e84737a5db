import type { Context } from "#context.ts";
import type { EventType } from "#core/event-type.ts";
import { readEvent } from "./read-event.ts";
import { selectEvents } from "./store-events.ts";
import type { RecordedEvent } from "./types.ts";

export interface EventList {
  /** The events of this page, oldest first. */
  readonly events: readonly RecordedEvent[];
  readonly nextAfter: number;
  readonly hasMore: boolean;
  readonly isRecording: boolean;
}

/** Lists the events of the active workspace after a number, exactly as they were recorded. */
export async function listEvents(
  ctx: Pick<Context, "actor" | "config" | "db">,
  input: {
    readonly after: number;
    readonly types: readonly EventType[] | null;
    readonly limit: number;
  },
): Promise<EventList> {
  const { rows, lastSeq, hasMore, recording } = await selectEvents(ctx.db, {
    workspaceId: ctx.actor.workspaceId,
    ...input,
  });
  return {
    events: rows.map((row) => readEvent(ctx, row)),
    nextAfter: lastSeq,
    hasMore,
    isRecording: recording,
  };
}
