import type { JsonValue } from "./json.ts";

/** Writes an event as one JSON line. Fields may contain names, ids and counts, never a token, header or body. */
export function log(level: "info" | "warn" | "error", event: string, fields: Record<string, JsonValue> = {}): void {
  console[level](JSON.stringify({ level, event, ...fields }));
}
