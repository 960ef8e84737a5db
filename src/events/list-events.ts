import type { Context } from "#context.ts";
import type { EventType } from "#core/event-type.ts";
import { MAX_PAGE_BYTES } from "#core/page-bytes.ts";
import { type EventRow, readEvent } from "./read-event.ts";
import { selectEvents } from "./store-events.ts";
import type { RecordedEvent } from "./types.ts";

export interface EventList {
  /** Oldest first. */
  readonly events: readonly RecordedEvent[];
  /** The `after` of the next page. */
  readonly nextAfter: number;
  readonly hasMore: boolean;
  /** Whether the workspace records events. */
  readonly isRecording: boolean;
}

/** The events of the active workspace after a number, as they were recorded. */
export async function listEvents(
  ctx: Pick<Context, "actor" | "config" | "db">,
  input: {
    readonly after: number;
    /** Null for all types. */
    readonly types: readonly EventType[] | null;
    readonly limit: number;
  },
): Promise<EventList> {
  const { rows, lastSeq, hasMore, recording } = await selectEvents(ctx.db, {
    workspaceId: ctx.actor.workspaceId,
    ...input,
  });
  const shown = rows.slice(0, countWithinLimit(rows));
  const isCut = shown.length < rows.length;
  return {
    events: shown.map((row) => readEvent(ctx, row)),
    nextAfter: (isCut && shown.at(-1)?.seq) || lastSeq,
    hasMore: hasMore || isCut,
    isRecording: recording,
  };
}

/** How many events have 4 MiB together, one at least. */
function countWithinLimit(rows: readonly EventRow[]): number {
  let bytes = 0;
  const cut = rows.findIndex(({ data }, index) => {
    bytes += new TextEncoder().encode(data).byteLength;
    return index > 0 && bytes > MAX_PAGE_BYTES;
  });
  return cut === -1 ? rows.length : cut;
}
