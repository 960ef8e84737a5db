import type { JsonValue } from "#core/json.ts";
import type { PublishRun, PublishRunTarget } from "#posting/run/store-run.ts";
import { createTargetRun, type TargetRun } from "#posting/run/target-run.ts";
import type { ActiveRun } from "./advance-targets.ts";
import type { TargetEntry } from "./journal.ts";

/** The fields of the log event for a finished run. */
export function logSummary({ publishRun, targetRuns }: ActiveRun): Record<string, JsonValue> {
  const published = [...targetRuns.values()].flatMap((run) => (run.publishedAt === null ? [] : [run.publishedAt]));
  const lateByMs = published.length === 0 ? null : Math.max(...published) - publishRun.post.scheduledAt;
  return { targets: targetRuns.size, published: published.length, lateByMs };
}

export function toEntry(publishRun: PublishRun, run: TargetRun): TargetEntry {
  return { version: publishRun.post.version, planHash: publishRun.post.planHash, run };
}

/** A target as D1 has it, to compare what its owner can see. */
export function storedTargetRun(target: PublishRunTarget): TargetRun {
  return { ...createTargetRun(target, target.nextAttemptAt ?? 0), state: target.state, remoteId: target.remoteId };
}
