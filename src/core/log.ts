import type { JsonValue } from "./json.ts";

/** Writes one JSON line per event. Fields contain only names, ids and counts, never a token, header or body. */
export function log(level: "info" | "warn" | "error", event: string, fields: Record<string, JsonValue> = {}): void {
  console[level](JSON.stringify({ level, event, ...fields }));
}
