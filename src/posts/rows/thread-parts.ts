import type { JsonObject, JsonValue } from "#core/json.ts";
import type { TargetStatus } from "#core/status.ts";
import { publishedThreadParts } from "#platforms/thread.ts";
import type { ThreadPart } from "./types.ts";

/**
 * The status of each thread part. The first part that is not published has the status of the target; later parts are
 * pending.
 */
export function threadParts(
  { thread }: JsonObject,
  { progress, status }: { readonly progress: JsonValue; readonly status: TargetStatus },
): ThreadPart[] | null {
  if (!Array.isArray(thread)) {
    return null;
  }
  const published = publishedThreadParts(progress);
  return Array.from({ length: thread.length + 1 }, (_, index): ThreadPart => {
    const part = published[index];
    const isCurrent = index === published.length || status === "published" || status === "skipped";
    return {
      index,
      status: part ? "published" : isCurrent ? status : "pending",
      platformPostId: part?.id ?? null,
      url: part?.url ?? null,
    };
  });
}
