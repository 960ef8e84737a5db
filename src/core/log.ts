import type { JsonValue } from "./json.ts";

/** One JSON line an event. Never hand it a token, a header or a body: names, ids and counts only. */
export function log(level: "info" | "warn" | "error", event: string, fields: Record<string, JsonValue> = {}): void {
  console[level](JSON.stringify({ level, event, ...fields }));
}
