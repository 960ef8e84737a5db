import type { JsonValue } from "#core/json.ts";
import type { StoredTargetError } from "#db/schema.ts";
import { publishedThreadParts } from "#platforms/thread.ts";

/** The error of a target. If parts of a thread are published, it says after which part the thread stopped and why. */
export function outcomeOfThread(progress: JsonValue, error: StoredTargetError): StoredTargetError {
  const { length } = publishedThreadParts(progress);
  return length === 0
    ? error
    : {
        ...error,
        code: "thread_incomplete",
        message: `The thread stopped after ${length === 1 ? "its first part" : `${length} parts`}: ${error.message}`,
      };
}
