import type { ArmHint } from "#core/arming.ts";
import { MINUTE } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import type { Services } from "#context.ts";
import { armHintOf } from "#posting/arming/arm-posts.ts";
import { LEASE_MS } from "./claim-post.ts";
import { type PublishRun, writeRun } from "./store-run.ts";
import { endOf, POST_MOVES } from "#posting/state-machine.ts";
import type { TargetRun } from "./target-run.ts";

/** What became of the post after the write. */
export type Recorded =
  /** The run goes on; `watchAt` is what D1 now holds. */
  | { readonly state: "running"; readonly watchAt: number }
  /** The run is over and its journal can go. */
  | { readonly state: "over" }
  /** It was opened again by an edit after the run had ended. */
  | { readonly state: "scheduled"; readonly hint: ArmHint };

/** Below this much of the lease a write also renews it; above, the two rows are saved. */
const RENEW_BELOW_MS = 2 * MINUTE;

/**
 * Writes what a run found out, all of it or nothing, and ends the post when no target moves any more. Safe to repeat until
 * it is answered.
 */
export async function recordRun(
  services: Pick<Services, "db" | "clock" | "adapterFor">,
  input: {
    plan: PublishRun;
    runId: string;
    /** Every target of the run. */
    runs: readonly TargetRun[];
    /** Those that D1 does not know yet as they are. */
    changed: readonly TargetRun[];
    watchAt: number;
    /** When the run wakes next; ignored when it ends. */
    wakeAt: number;
  },
): Promise<Recorded> {
  const { plan, runId, changed } = input;
  const states = new Map(plan.targets.map((target) => [target.accountId, target.state]));
  for (const run of input.runs) {
    states.set(run.accountId, run.state);
  }
  const end = endOf([...states.values()]);
  const watchAt = input.watchAt < input.wakeAt + RENEW_BELOW_MS ? input.wakeAt + LEASE_MS : undefined;
  if (!end && changed.length === 0 && watchAt === undefined) {
    return { state: "running", watchAt: input.watchAt };
  }
  await failpoint("record.before_send");
  const row = await writeRun(services.db, {
    postId: plan.post.id,
    runId,
    now: services.clock.now(),
    targets: end ? input.runs : changed,
    status: end && POST_MOVES.publishing[end],
    watchAt,
  });
  await failpoint("record.after_send");
  if (row?.status === "publishing" && row.runId === runId) {
    return { state: "running", watchAt: watchAt ?? input.watchAt };
  }
  return row?.status === "scheduled" ? { state: "scheduled", hint: armHintOf(services, row) } : { state: "over" };
}
