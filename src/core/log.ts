import type { JsonValue } from "./json.ts";

/** One JSON line per event. Fields must never hold a token, header or body: names, ids and counts only. */
export function log(level: "info" | "warn" | "error", event: string, fields: Record<string, JsonValue> = {}): void {
  console[level](JSON.stringify({ level, event, ...fields }));
}
