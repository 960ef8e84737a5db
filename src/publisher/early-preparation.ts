import { SECOND } from "#core/clock.ts";
import { matchesConfirmedPlan, peekRun } from "#posting/run/claim-post.ts";
import type { PublishRun } from "#posting/run/store-run.ts";
import { isTerminal } from "#posting/state-machine.ts";
import { createTargetRun, type TargetRun } from "#posting/run/target-run.ts";
import { MAX_CONCURRENT_CALLS } from "./advance-targets.ts";
import type { RunContext } from "./run-context.ts";
import type { TargetEntry, RunnerState, Journal } from "./journal.ts";
import { runEarlyStep } from "./run-target-step.ts";
import { prepareStartAt, warmUpAt } from "./wake-times.ts";

const MAX_SLEEP_MS = 5 * SECOND;

/**
 * Prepares targets before the due time, for one version of the post: an edit makes everything here obsolete. A step that is
 * still in flight at the due time delays only its own target.
 */
export class EarlyPreparation {
  private readonly inFlight = new Map<string, Promise<void>>();
  private readonly targetRuns = new Map<string, TargetRun>();
  private publishRun: PublishRun | undefined;

  constructor(
    private readonly context: RunContext,
    private readonly journal: Journal,
    readonly state: RunnerState,
    private readonly dueAt: number,
  ) {}

  /** Runs due steps until none is left, `signal` is aborted or the post is due; returns when to wake next. */
  async prepareWhilePossible(signal: AbortSignal): Promise<number> {
    this.publishRun ??= await this.load();
    for (;;) {
      const now = this.context.now();
      const open = this.unpreparedTargets();
      for (const { run } of open
        .filter((one) => one.wakeAt <= now)
        .slice(0, MAX_CONCURRENT_CALLS - this.inFlight.size)) {
        this.startStep(run);
      }
      if (this.inFlight.size === 0 || now >= this.dueAt || signal.aborted) {
        return Math.min(this.dueAt, ...this.unpreparedTargets().map((one) => one.wakeAt));
      }
      const sleepAbort = new AbortController();
      const sleep = this.context.sleep(
        Math.min(MAX_SLEEP_MS, this.dueAt - now),
        AbortSignal.any([signal, sleepAbort.signal]),
      );
      await Promise.race([...this.inFlight.values(), sleep]);
      sleepAbort.abort();
    }
  }

  /** The prepared run of a target; undefined if it was prepared for another plan. */
  preparedFor(publishRun: PublishRun, accountId: string): TargetRun | undefined {
    const isSamePlan =
      publishRun.post.version === this.state.version && publishRun.post.planHash === this.publishRun?.post.planHash;
    return isSamePlan ? this.targetRuns.get(accountId) : undefined;
  }

  /** The early step of a target that is still in flight; undefined when there is none. */
  stepInFlight(accountId: string): Promise<void> | undefined {
    return this.inFlight.get(accountId);
  }

  private async load(): Promise<PublishRun | undefined> {
    const publishRun = await peekRun(this.context.services, { postId: this.state.postId, version: this.state.version });
    if (!publishRun || !(await matchesConfirmedPlan(publishRun))) {
      return undefined;
    }
    const entries = this.journal.entries();
    for (const target of publishRun.targets) {
      if (!isTerminal(target.state)) {
        this.targetRuns.set(
          target.accountId,
          matchingRun(entries.get(target.accountId), publishRun) ?? createTargetRun(target, 0),
        );
      }
    }
    return publishRun;
  }

  /** Targets that are not ready yet, with the time at which each may continue. */
  private unpreparedTargets(): { run: TargetRun; wakeAt: number }[] {
    const { publishRun } = this;
    if (!publishRun) {
      return [];
    }
    return [...this.targetRuns.values()]
      .filter((run) => run.prepared === null && run.state !== "retry_wait" && !this.inFlight.has(run.accountId))
      .map((run) => ({ run, wakeAt: Math.max(run.wakeAt, this.prepareAt(publishRun, run)) }));
  }

  private prepareAt(publishRun: PublishRun, run: TargetRun): number {
    const target = publishRun.targets.find((row) => row.accountId === run.accountId);
    const adapter = target && this.context.services.adapterFor(target.platform);
    const facts = new Map(publishRun.media.map((item) => [item.id, item.facts]));
    const media = publishRun.post.media.map((item) => ({ ...item, facts: facts.get(item.id) ?? {} }));
    return adapter
      ? prepareStartAt(this.state.postId, this.dueAt, adapter.prepareAheadMs({ media }))
      : warmUpAt(this.state.postId, this.dueAt);
  }

  private startStep(run: TargetRun): void {
    const { publishRun } = this;
    if (!publishRun) {
      return;
    }
    const work = runEarlyStep(this.context, publishRun, run, this.dueAt)
      .then((next) => this.storeResult(publishRun, next))
      .catch(() => {
        // Ignored: early preparation is optional, and the run at the due time starts from the journal.
        this.targetRuns.set(run.accountId, { ...run, wakeAt: this.dueAt });
      })
      .finally(() => this.inFlight.delete(run.accountId));
    this.inFlight.set(run.accountId, work);
  }

  private storeResult(publishRun: PublishRun, run: TargetRun): void {
    this.targetRuns.set(run.accountId, run);
    const state = this.journal.state();
    if (state?.phase === "armed" && state.version === this.state.version) {
      this.journal.putEntry({ version: publishRun.post.version, planHash: publishRun.post.planHash, run });
    }
  }
}

/** The run of a journal entry, if the entry belongs to the same version and plan hash. */
export function matchingRun(entry: TargetEntry | undefined, publishRun: PublishRun): TargetRun | undefined {
  return entry?.version === publishRun.post.version && entry.planHash === publishRun.post.planHash
    ? entry.run
    : undefined;
}
