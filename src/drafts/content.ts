import type { Config } from "#config.ts";
import { byteLength } from "#core/bytes.ts";
import { refuse } from "#core/errors.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import { mediaIdOf } from "#media/index.ts";

const MAX_CONTENT_BYTES = 256 * 1024;

/** Removes members that are null, because null means that a member is not set. */
export function withoutNulls(content: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(content).filter(([, value]) => value !== null));
}

export function assertContentSize(content: JsonObject): void {
  const bytes = byteLength(JSON.stringify(content));
  if (bytes > MAX_CONTENT_BYTES) {
    const message = `a draft may have at most ${MAX_CONTENT_BYTES} bytes, and this one has ${bytes}`;
    refuse({
      code: "validation_failed",
      message,
      details: [{ code: "out_of_range", message, limit: MAX_CONTENT_BYTES, actual: bytes }],
    });
  }
}

/** The ids of stored media whose URLs occur anywhere in a draft's content, without repetition. */
export function mediaIdsIn(config: Pick<Config, "origin">, content: JsonObject): readonly string[] {
  const ids = new Set<string>();
  const visit = (value: JsonValue): void => {
    if (typeof value === "string") {
      const id = value.startsWith("http") ? mediaIdOf(config, value) : null;
      if (id !== null) {
        ids.add(id);
      }
    } else if (value !== null && typeof value === "object") {
      for (const item of Array.isArray(value) ? value : Object.values(value)) {
        visit(item);
      }
    }
  };
  visit(content);
  return [...ids];
}
