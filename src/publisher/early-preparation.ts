import { SECOND } from "#core/clock.ts";
import { CLAIM_AHEAD_MS, matchesConfirmedPlan, peekRun } from "#publisher/run/claim-post.ts";
import { storedDocument } from "#posts/rows/option-document.ts";
import { mediaOfTarget, type PublishRun, type PublishRunTarget } from "#publisher/run/store-run.ts";
import { adoptEarlyPreparation } from "#publisher/run/start-target.ts";
import { isTerminal } from "#posts/rows/state-machine.ts";
import { createTargetRun, type TargetRun } from "#publisher/run/target-run.ts";
import { MAX_CONCURRENT_CALLS, runEarlyStep } from "./advance-targets.ts";
import type { RunContext } from "./run-context.ts";
import { type TargetEntry, type RunnerState, type Journal, withStoredHistory } from "./journal.ts";
import { prepareStartAt } from "./wake-times.ts";

const MAX_SLEEP_MS = 5 * SECOND;

/**
 * Prepares the targets of one version of a post before the due time. An edit makes the results useless. A step that is
 * still running at the due time delays only its own target.
 */
export class EarlyPreparation {
  private readonly inFlight = new Map<string, Promise<void>>();
  private readonly targetRuns = new Map<string, TargetRun>();
  private publishRun: PublishRun | undefined;

  constructor(
    private readonly context: RunContext,
    private readonly journal: Journal,
    readonly state: Pick<RunnerState, "postId" | "version" | "scheduledAt">,
    private readonly dueAt: number,
    /** The claimed post. Without it, the post is read from the database. */
    private readonly claimed?: PublishRun,
  ) {
    if (claimed) {
      this.use(claimed);
    }
  }

  /** Whether these preparations are for this version and content of the post. */
  isFor({ post }: PublishRun): boolean {
    return this.publishRun?.post.version === post.version && this.publishRun.post.planHash === post.planHash;
  }

  /**
   * Runs due steps until none is left, `signal` aborts or the clock reaches `until`. Returns when (ms) to wake next.
   */
  async prepareWhilePossible(until: number, signal: AbortSignal): Promise<number> {
    if (!this.publishRun) {
      await this.load();
    }
    for (;;) {
      const now = this.context.now();
      const open = this.unpreparedTargets();
      for (const { run } of open
        .filter((one) => one.wakeAt <= now)
        .slice(0, MAX_CONCURRENT_CALLS - this.inFlight.size)) {
        this.startStep(run);
      }
      if (this.inFlight.size === 0 || now >= until || signal.aborted) {
        return Math.min(until, ...this.unpreparedTargets().map((one) => one.wakeAt));
      }
      const sleepAbort = new AbortController();
      const sleep = this.context.sleep(
        Math.min(MAX_SLEEP_MS, until - now),
        AbortSignal.any([signal, sleepAbort.signal]),
      );
      await Promise.race([...this.inFlight.values(), sleep]);
      sleepAbort.abort();
    }
  }

  /** The prepared run of a target. Undefined if it was prepared for other content. */
  preparedFor(publishRun: PublishRun, accountId: string): TargetRun | undefined {
    return this.isFor(publishRun) ? this.targetRuns.get(accountId) : undefined;
  }

  /** Waits for an early step of the target that is still running. Returns the run with its result. */
  async afterStepInFlight(publishRun: PublishRun, run: TargetRun): Promise<TargetRun> {
    const step = this.inFlight.get(run.accountId);
    if (!step) {
      return run;
    }
    await step;
    const prepared = this.preparedFor(publishRun, run.accountId);
    return prepared ? adoptEarlyPreparation(prepared, run, this.context.now()) : run;
  }

  private async load(): Promise<void> {
    const publishRun = await peekRun(this.context.services, this.state);
    if (publishRun && (await matchesConfirmedPlan(publishRun))) {
      this.use(publishRun);
    }
  }

  private use(publishRun: PublishRun): void {
    this.publishRun = publishRun;
    const entries = this.journal.entries();
    for (const target of publishRun.targets.filter(({ state }) => !isTerminal(state))) {
      const known = matchingRun(entries.get(target.accountId), publishRun, target);
      this.targetRuns.set(target.accountId, known ?? createTargetRun(target, 0));
    }
  }

  /** The targets that are not ready, with the time at which each may continue. */
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
    const media = (target === undefined ? [] : mediaOfTarget(publishRun, target)).map((item) => ({
      ...item,
      facts: facts.get(item.id) ?? {},
    }));
    const hasDocument = target !== undefined && storedDocument(target.options) !== null;
    const claimFrom = this.dueAt - CLAIM_AHEAD_MS;
    return adapter
      ? Math.min(
          claimFrom,
          prepareStartAt(this.state.postId, this.dueAt, adapter.prepareAheadMs({ media, hasDocument })),
        )
      : claimFrom;
  }

  private startStep(run: TargetRun): void {
    const { publishRun } = this;
    if (!publishRun) {
      return;
    }
    const work = runEarlyStep(this.context, publishRun, run, this.dueAt)
      .then((next) => this.storeResult(publishRun, next))
      .catch(() => {
        // Ignore the error: early preparation is optional, and the run at the due time prepares again.
        this.targetRuns.set(run.accountId, { ...run, wakeAt: this.dueAt });
      })
      .finally(() => this.inFlight.delete(run.accountId));
    this.inFlight.set(run.accountId, work);
  }

  private storeResult(publishRun: PublishRun, run: TargetRun): void {
    this.targetRuns.set(run.accountId, run);
    const state = this.journal.state();
    // Write nothing for a claimed post: it is due within two seconds, and repeating a step costs less than a write.
    if (!this.claimed && state?.phase === "armed" && state.version === this.state.version) {
      this.journal.setEntry({ version: publishRun.post.version, planHash: publishRun.post.planHash, run });
      this.journal.write();
    }
  }
}

/** The run of a journal entry, if the entry is for the same version and plan hash. */
export function matchingRun(
  entry: TargetEntry | undefined,
  publishRun: PublishRun,
  target: PublishRunTarget,
): TargetRun | undefined {
  // mutant: old-preparation
  return entry?.version === publishRun.post.version && entry.planHash === publishRun.post.planHash
    ? withStoredHistory(entry.run, target)
    : undefined;
}
