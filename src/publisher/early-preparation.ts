import { SECOND } from "#core/clock.ts";
import { isAsConfirmed, peekRun } from "#posting/run/claim-post.ts";
import type { PublishRun } from "#posting/run/store-run.ts";
import { isTerminal } from "#posting/state-machine.ts";
import { beginRun, type TargetRun } from "#posting/run/target-run.ts";
import { MAX_AT_ONCE } from "./advance-targets.ts";
import type { RunContext } from "./run-context.ts";
import type { TargetEntry, RunnerState, Journal } from "./journal.ts";
import { takeEarlyStep } from "./target-step.ts";
import { prepareFrom, warmFrom } from "./wake-times.ts";

const LONGEST_PAUSE_MS = 5 * SECOND;

/**
 * Preparation before the due time. Bound to one version of the post: an edit lets everything here expire. A step that is
 * still on its way when the time comes is waited for by its own target alone.
 */
export class EarlyWork {
  private readonly inFlight = new Map<string, Promise<void>>();
  private readonly runs = new Map<string, TargetRun>();
  private plan: PublishRun | undefined;

  constructor(
    private readonly desk: RunContext,
    private readonly journal: Journal,
    readonly job: RunnerState,
    private readonly dueAt: number,
  ) {}

  /** Works until nothing can go on now, `signal` says stop, or the time has come; says when to come again. */
  async proceed(signal: AbortSignal): Promise<number> {
    this.plan ??= await this.load();
    for (;;) {
      const now = this.desk.now();
      const open = this.open();
      for (const { run } of open.filter((one) => one.wakeAt <= now).slice(0, MAX_AT_ONCE - this.inFlight.size)) {
        this.start(run);
      }
      if (this.inFlight.size === 0 || now >= this.dueAt || signal.aborted) {
        return Math.min(this.dueAt, ...this.open().map((one) => one.wakeAt));
      }
      const over = new AbortController();
      const pause = this.desk.wait(
        Math.min(LONGEST_PAUSE_MS, this.dueAt - now),
        AbortSignal.any([signal, over.signal]),
      );
      await Promise.race([...this.inFlight.values(), pause]);
      over.abort();
    }
  }

  /** What is prepared for a target, if `plan` is the one it was prepared for. */
  preparedFor(plan: PublishRun, accountId: string): TargetRun | undefined {
    const mine = plan.post.version === this.job.version && plan.post.planHash === this.plan?.post.planHash;
    return mine ? this.runs.get(accountId) : undefined;
  }

  /** The early step of a target that was still on its way at the due time; undefined when there was none. */
  stillRunning(accountId: string): Promise<void> | undefined {
    return this.inFlight.get(accountId);
  }

  private async load(): Promise<PublishRun | undefined> {
    const plan = await peekRun(this.desk.services, { postId: this.job.postId, version: this.job.version });
    if (!plan || !(await isAsConfirmed(plan))) {
      return undefined;
    }
    const entries = this.journal.entries();
    for (const target of plan.targets) {
      if (!isTerminal(target.state)) {
        this.runs.set(target.accountId, kept(entries.get(target.accountId), plan) ?? beginRun(target, 0));
      }
    }
    return plan;
  }

  /** Targets that are not ready, with the time at which each may go on. */
  private open(): { run: TargetRun; wakeAt: number }[] {
    const { plan } = this;
    if (!plan) {
      return [];
    }
    return [...this.runs.values()]
      .filter((run) => run.ready === null && !this.inFlight.has(run.accountId))
      .map((run) => ({ run, wakeAt: Math.max(run.wakeAt, this.from(plan, run)) }));
  }

  private from(plan: PublishRun, run: TargetRun): number {
    const target = plan.targets.find((row) => row.accountId === run.accountId);
    const adapter = target && this.desk.services.adapterFor(target.platform);
    const facts = new Map(plan.media.map((item) => [item.id, item.facts]));
    const media = plan.post.media.map((item) => ({ ...item, facts: facts.get(item.id) ?? {} }));
    return adapter
      ? prepareFrom(this.job.postId, this.dueAt, adapter.prepareAheadMs({ media }))
      : warmFrom(this.job.postId, this.dueAt);
  }

  private start(run: TargetRun): void {
    const { plan } = this;
    if (!plan) {
      return;
    }
    const work = takeEarlyStep(this.desk, plan, run, this.dueAt)
      .then((next) => this.keep(plan, next))
      .catch(() => {
        // Nothing early is owed to anybody: the due time starts from what is in the journal.
        this.runs.set(run.accountId, { ...run, wakeAt: this.dueAt });
      })
      .finally(() => this.inFlight.delete(run.accountId));
    this.inFlight.set(run.accountId, work);
  }

  private keep(plan: PublishRun, run: TargetRun): void {
    this.runs.set(run.accountId, run);
    const job = this.journal.job();
    if (job?.phase === "armed" && job.version === this.job.version) {
      this.journal.putEntry({ version: plan.post.version, planHash: plan.post.planHash, run });
    }
  }
}

/** A journal entry serves only the plan it was made for. */
export function kept(entry: TargetEntry | undefined, plan: PublishRun): TargetRun | undefined {
  return entry?.version === plan.post.version && entry.planHash === plan.post.planHash ? entry.run : undefined;
}
