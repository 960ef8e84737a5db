/**
 * An event's id is `evt_`, its number in base 36, and its workspace. So ids are unique over all workspaces without a
 * column and an index.
 */
export function eventId(event: { readonly workspaceId: string; readonly seq: number }): string {
  return `evt_${event.seq.toString(36)}_${event.workspaceId.replaceAll("-", "")}`;
}

const PATTERN = /^evt_([0-9a-z]{1,11})_([0-9a-f]{32})$/;

/** Reads the event's number from an id. Null for an id of another workspace and for other text. */
export function parseEventId(id: string, workspaceId: string): number | null {
  const [, number = "", workspace = ""] = PATTERN.exec(id) ?? [];
  const seq = Number.parseInt(number, 36);
  return workspace === workspaceId.replaceAll("-", "") && Number.isSafeInteger(seq) ? seq : null;
}

/** A number below the numbers of all events since this instant (ms since 1970). */
export function seqBefore(at: number): number {
  return at * 1000 - 1;
}
