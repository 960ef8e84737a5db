import type { ArmHint } from "#core/arming.ts";
import { MINUTE } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import type { Services } from "#context.ts";
import { armHintOf } from "#posting/arming/arm-posts.ts";
import { RUN_LEASE_MS } from "./claim-post.ts";
import { type PublishRun, writeRunResults } from "./store-run.ts";
import { completionEvent, POST_TRANSITIONS } from "#posting/state-machine.ts";
import type { TargetRun } from "./target-run.ts";

/** The state of the post after the write. */
export type RecordResult =
  /** The run continues; `watchAt` is what D1 now holds. */
  | { readonly state: "running"; readonly watchAt: number }
  /** The run has ended and its journal can be deleted. */
  | { readonly state: "ended" }
  /** An edit scheduled the post again after the run had ended. */
  | { readonly state: "scheduled"; readonly hint: ArmHint };

/** With less of the lease left than this, a write also renews it; otherwise the two rows that a renewal costs are saved. */
const RENEW_BELOW_MS = 2 * MINUTE;

/**
 * Writes the results of a run in one transaction and ends the post when every target has ended. Safe to repeat until it is
 * answered.
 */
export async function recordRunResults(
  services: Pick<Services, "db" | "clock" | "adapterFor">,
  input: {
    publishRun: PublishRun;
    runId: string;
    /** Every target of the run. */
    runs: readonly TargetRun[];
    /** The targets that differ from what D1 holds. */
    changed: readonly TargetRun[];
    watchAt: number;
    /** When the run wakes next; ignored when the run ends. */
    wakeAt: number;
  },
): Promise<RecordResult> {
  const { publishRun, runId, changed } = input;
  const states = new Map(publishRun.targets.map((target) => [target.accountId, target.state]));
  for (const run of input.runs) {
    states.set(run.accountId, run.state);
  }
  const completion = completionEvent([...states.values()]);
  const watchAt = input.watchAt < input.wakeAt + RENEW_BELOW_MS ? input.wakeAt + RUN_LEASE_MS : undefined;
  if (!completion && changed.length === 0 && watchAt === undefined) {
    return { state: "running", watchAt: input.watchAt };
  }
  await failpoint("record.before_send");
  const row = await writeRunResults(services.db, {
    postId: publishRun.post.id,
    runId,
    now: services.clock.now(),
    targets: completion ? input.runs : changed,
    status: completion && POST_TRANSITIONS.publishing[completion],
    watchAt,
  });
  await failpoint("record.after_send");
  if (row?.status === "publishing" && row.runId === runId) {
    return { state: "running", watchAt: watchAt ?? input.watchAt };
  }
  return row?.status === "scheduled" ? { state: "scheduled", hint: armHintOf(services, row) } : { state: "ended" };
}
