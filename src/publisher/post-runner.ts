import type { ArmAnswer, ArmHint } from "#core/arming.ts";
import { MINUTE, SECOND } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import type { JsonValue } from "#core/json.ts";
import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import { type Claim, claimPost, isAsConfirmed } from "#posting/run/claim-post.ts";
import { adoptEarly, doubtRun, giveUp, recover } from "#posting/run/next-step.ts";
import { isTerminal } from "#posting/state-machine.ts";
import { beginRun, type TargetRun } from "#posting/run/target-run.ts";
import type { PublishRun, TargetRow } from "#posting/run/store-run.ts";
import { advance, visibleStateKey, type LiveRun, nextWake, NOT_AS_CONFIRMED, show } from "./advance-targets.ts";
import { RunContext } from "./run-context.ts";
import { EarlyWork, kept } from "./early-preparation.ts";
import { type TargetEntry, type RunnerState, Journal, type JournalStorage } from "./journal.ts";
import { dueFrom, prepareFrom, WARM_MS, warmFrom } from "./wake-times.ts";

/** Set before anything else in an alarm: whatever happens to the process, it comes back. */
const DEADMAN_MS = 30 * SECOND;
/** An alarm set for this instant can be lost; a little later it cannot. */
const SOONEST_MS = 250;
/** An alarm this far in the past has been lost. */
const LOST_AFTER_MS = MINUTE;
/** The platform cuts an alarm off after this. */
const LONGEST_ALARM_MS = 15 * MINUTE;
const ERROR_WAIT_MS = SECOND / 2;
const ERROR_WAIT_MAX_MS = 30 * SECOND;

type Claimed = Extract<Claim, { readonly plan: PublishRun }>;

/** What an alarm ends with: sleep until then, or nothing left to do for `runId`. */
type Rest = { readonly wakeAt: number } | { readonly done: string | null };

/**
 * One post on its way: a timer and a journal, never a copy of the plan. All it knows is on disk; what it keeps in memory is
 * only there to be quick, and is thrown away after any error.
 */
export class PostRunner {
  private readonly journal: Journal;
  private readonly desk: RunContext;
  private live: LiveRun | undefined;
  private early: EarlyWork | undefined;
  private interrupt = new AbortController();
  private busySince: number | null = null;
  private errors = 0;

  constructor(
    private readonly storage: JournalStorage,
    services: Services,
    wait: RunContext["wait"],
  ) {
    this.journal = new Journal(storage);
    this.desk = new RunContext(services, wait);
  }

  /** Idempotent: a hint is compared with what is known, and a run under way is only kept awake. */
  async sync(hint: ArmHint): Promise<ArmAnswer> {
    await failpoint("sync.before_store");
    const job = this.journal.job();
    if (job && job.phase !== "armed") {
      const isNewer = hint.version > job.version;
      if (isNewer && hint.status === "scheduled") {
        this.journal.putJob({ ...job, next: hint });
      }
      if (isNewer && job.phase === "claiming") {
        // Nothing was sent yet, and the claim will find out what has become of the post.
        this.interrupt.abort();
        await this.storage.setAlarm(this.desk.now() + SOONEST_MS);
      } else {
        await this.keepAwake();
      }
      return "running";
    }
    if (job && hint.version < job.version) {
      return "ignored";
    }
    this.interrupt.abort();
    if (hint.status !== "scheduled" && hint.status !== "publishing") {
      await this.storage.deleteAll();
      return "disarmed";
    }
    // Job and alarm in one breath: the storage keeps both or none.
    const armed = this.journal.arm(hint);
    await this.storage.setAlarm(Math.max(this.desk.now(), this.firstWake(armed)));
    await failpoint("sync.after_store");
    return "armed";
  }

  /** Never throws: the platform drops an alarm that keeps throwing, and its post with it. */
  async alarm(): Promise<void> {
    const startedAt = this.desk.now();
    const busy = this.busySince !== null && startedAt - this.busySince < LONGEST_ALARM_MS;
    try {
      await this.storage.setAlarm(startedAt + DEADMAN_MS);
      // The platform never runs two at once; a second one here was fired by hand, or the first one was cut off.
      if (busy) {
        return;
      }
      this.busySince = startedAt;
      await this.storage.sync();
      await failpoint("alarm.awake");
      const rest = await this.work();
      if ("wakeAt" in rest) {
        await this.storage.setAlarm(Math.max(this.desk.now() + SOONEST_MS, rest.wakeAt));
      } else {
        await this.leave(rest.done);
      }
      this.errors = 0;
    } catch (error) {
      await this.comeBack(error);
    } finally {
      if (!busy) {
        this.busySince = null;
      }
    }
  }

  private async work(): Promise<Rest> {
    for (;;) {
      const job = this.journal.job();
      if (!job) {
        return { done: null };
      }
      switch (job.phase) {
        case "armed": {
          const wakeAt = await this.beforeTime(job);
          if (wakeAt !== undefined) {
            return { wakeAt };
          }
          break;
        }
        case "claiming": {
          const rest = (await this.lastSeconds(job)) ?? (await this.claim(job));
          if (rest) {
            return rest;
          }
          break;
        }
        case "running":
          return await this.publish(job);
      }
    }
  }

  /** Sleep and early preparation; undefined when the last seconds have come or the job changed. */
  private async beforeTime(job: RunnerState): Promise<number | undefined> {
    const dueAt = this.dueAt(job);
    const warmAt = warmFrom(job.postId, dueAt);
    if (this.desk.now() < Math.min(warmAt, this.firstWake(job))) {
      return this.firstWake(job);
    }
    if (this.desk.now() < warmAt) {
      this.interrupt = new AbortController();
      const { signal } = this.interrupt;
      const wakeAt = await this.earlyWork(job, dueAt).proceed(signal);
      if (signal.aborted) {
        return undefined;
      }
      if (this.desk.now() < warmAt) {
        return Math.min(wakeAt, warmAt);
      }
    }
    // The claim must find its own name again should its answer be lost; written here, it is on disk when the time comes.
    this.journal.putJob({ ...job, phase: "claiming", runId: this.desk.services.ids.secretUuid() });
    return undefined;
  }

  /** Makes ready and waits; a newer plan ends the wait, for the claim knows what has become of the post. */
  private async lastSeconds(job: RunnerState): Promise<Rest | undefined> {
    const dueAt = this.dueAt(job);
    this.interrupt = new AbortController();
    const { signal } = this.interrupt;
    if (this.desk.now() < dueAt) {
      await this.earlyWork(job, dueAt).proceed(signal);
      await this.hold(dueAt, signal);
      if (!signal.aborted && this.desk.now() < dueAt) {
        return { wakeAt: dueAt };
      }
    }
    await this.storage.sync();
    await failpoint("claim.stored");
    return undefined;
  }

  /** To the millisecond: timers may end a little early, and nothing may be sent before its time. */
  private async hold(dueAt: number, signal: AbortSignal): Promise<void> {
    let left = dueAt - this.desk.now();
    while (left > 0 && !signal.aborted) {
      await this.desk.wait(Math.min(left, WARM_MS), signal);
      const before = left;
      left = dueAt - this.desk.now();
      if (left >= before) {
        return;
      }
    }
  }

  private async claim(job: RunnerState): Promise<Rest | undefined> {
    const { runId } = job;
    if (runId === null) {
      throw new Error("a claim without a name");
    }
    const claim = await claimPost(this.desk.services, { postId: job.postId, runId });
    switch (claim.state) {
      case "over":
        return { done: runId };
      case "early":
        this.rearm(claim.hint);
        return undefined;
      case "mine":
      case "taken_over":
        this.live = await this.begin(job, claim);
        await failpoint("claim.begun");
        return undefined;
    }
  }

  /** From here on the claim is ours and something visible may be sent. */
  private async begin(job: RunnerState, claim: Claimed): Promise<LiveRun> {
    const { plan } = claim;
    const asConfirmed = await isAsConfirmed(plan);
    const entries = this.journal.entries();
    const runs = plan.targets
      .filter((target) => !isTerminal(target.state))
      .map((target) => {
        const at = this.desk.moment(plan, target);
        const fresh = beginRun(target, at.now);
        // First of all: what the lost run may have sent must be looked for, whatever the rows say now.
        if (claim.state === "taken_over") {
          return doubtRun(fresh, at);
        }
        if (!asConfirmed) {
          return giveUp(fresh, NOT_AS_CONFIRMED, at);
        }
        const prepared = this.early?.preparedFor(plan, target.accountId) ?? kept(entries.get(target.accountId), plan);
        return prepared ? adoptEarly(prepared, fresh, at.now) : fresh;
      });
    this.journal.begin(
      {
        ...job,
        phase: "running",
        runId: claim.runId,
        version: plan.post.version,
        scheduledAt: plan.post.scheduledAt,
        watchAt: claim.watchAt,
      },
      runs.map((run) => entryOf(plan, run)),
    );
    return this.liveRun(job, claim, runs, asConfirmed);
  }

  /** Goes on with a run after sleep or a crash: the plan is read again, the journal says how far it was. */
  private async resume(job: RunnerState, runId: string): Promise<LiveRun | Rest> {
    const claim = await claimPost(this.desk.services, { postId: job.postId, runId });
    if (claim.state === "over") {
      return { done: runId };
    }
    if (claim.state === "early") {
      this.rearm(claim.hint);
      return { wakeAt: this.desk.now() };
    }
    const entries = this.journal.entries();
    const runs = claim.plan.targets.flatMap((target) => {
      const run = entries.get(target.accountId)?.run;
      // What D1 was told is final, even if the journal forgot in a crash that it told it.
      if (isTerminal(target.state)) {
        return [];
      }
      if (run && isTerminal(run.state)) {
        return [run];
      }
      const at = this.desk.moment(claim.plan, target);
      return run && claim.state === "mine" ? [recover(run, at)] : [doubtRun(run ?? beginRun(target, at.now), at)];
    });
    const asConfirmed = await isAsConfirmed(claim.plan);
    // Without an await between them: the storage keeps the new run id and its entries, or neither.
    this.journal.putJob({ ...job, runId: claim.runId });
    for (const run of runs) {
      this.journal.putEntry(entryOf(claim.plan, run));
    }
    return this.liveRun(job, claim, runs, asConfirmed);
  }

  private liveRun(job: RunnerState, claim: Claimed, runs: readonly TargetRun[], asConfirmed: boolean): LiveRun {
    const { plan, runId, watchAt } = claim;
    const { early } = this;
    return {
      runId,
      plan,
      asConfirmed,
      watchAt,
      dueAt: this.dueAt(job),
      runs: new Map(runs.map((run) => [run.accountId, run])),
      shown: new Map(plan.targets.map((target) => [target.accountId, visibleStateKey(asStored(target))])),
      settle: async (run) => {
        const running = early?.stillRunning(run.accountId);
        if (!running) {
          return run;
        }
        await running;
        const prepared = early?.preparedFor(plan, run.accountId);
        return prepared ? adoptEarly(prepared, run, this.desk.now()) : run;
      },
    };
  }

  private async publish(job: RunnerState): Promise<Rest> {
    const { runId } = job;
    if (runId === null) {
      throw new Error("a run without a name");
    }
    if (this.live?.runId !== runId) {
      const resumed = await this.resume(job, runId);
      if (!("plan" in resumed)) {
        return resumed;
      }
      this.live = resumed;
    }
    const { live } = this;
    await advance(this.desk, live, {
      save: (run) => {
        live.runs.set(run.accountId, run);
        this.journal.putEntry(entryOf(live.plan, run));
      },
      flush: () => this.storage.sync(),
    });
    const recorded = await show(this.desk, live, nextWake(live) ?? this.desk.now());
    switch (recorded.state) {
      case "over":
        log("info", "publish.ended", { postId: job.postId, ...summaryOf(live) });
        return { done: live.runId };
      case "scheduled":
        this.rearm(recorded.hint);
        return { wakeAt: this.desk.now() };
      case "running":
        return { wakeAt: nextWake(live) ?? this.desk.now() + ERROR_WAIT_MAX_MS };
    }
  }

  /** P7: the row has another time. */
  private rearm(hint: ArmHint): void {
    this.forget();
    this.journal.arm(hint);
  }

  /** Storage and alarm go, unless a newer plan came in the meantime. */
  private async leave(runId: string | null): Promise<void> {
    await failpoint("alarm.before_leave");
    this.forget();
    const job = this.journal.job();
    const mine = job !== undefined && job.runId === runId;
    if (!job || (mine && runId !== null && !job.next)) {
      await this.storage.deleteAll();
      return;
    }
    const wakeAt = mine && job.next ? this.firstWake(this.journal.arm(job.next)) : this.desk.now();
    await this.storage.setAlarm(Math.max(this.desk.now() + SOONEST_MS, wakeAt));
  }

  private async comeBack(error: unknown): Promise<void> {
    this.forget();
    this.errors += 1;
    const waitMs = Math.min(ERROR_WAIT_MAX_MS, ERROR_WAIT_MS * 2 ** (this.errors - 1));
    log("error", "publish.interrupted", { reason: String(error), inMs: waitMs });
    try {
      await this.storage.setAlarm(this.desk.now() + waitMs);
    } catch (lost) {
      // The dead-man alarm stands, and behind it the reconciler.
      log("error", "publish.alarm_not_set", { reason: String(lost) });
    }
  }

  private async keepAwake(): Promise<void> {
    const alarmAt = await this.storage.getAlarm();
    if (alarmAt === null || alarmAt < this.desk.now() - LOST_AFTER_MS) {
      await this.storage.setAlarm(this.desk.now() + SECOND);
    }
  }

  private forget(): void {
    this.live = undefined;
    this.early = undefined;
  }

  private earlyWork(job: RunnerState, dueAt: number): EarlyWork {
    if (this.early?.job.version !== job.version || this.early.job.scheduledAt !== job.scheduledAt) {
      this.early = new EarlyWork(this.desk, this.journal, job, dueAt);
    }
    return this.early;
  }

  private firstWake(job: RunnerState): number {
    return prepareFrom(job.postId, this.dueAt(job), job.prepareAheadMs);
  }

  private dueAt(job: RunnerState): number {
    const spreadMs = Number(this.desk.services.config.setting("SPREAD_MS") ?? 0);
    return dueFrom(job, Number.isFinite(spreadMs) ? Math.max(0, spreadMs) : 0);
  }
}

/** What one line of the log tells of a run. */
function summaryOf({ plan, runs }: LiveRun): Record<string, JsonValue> {
  const published = [...runs.values()].flatMap((run) => (run.publishedAt === null ? [] : [run.publishedAt]));
  const lateByMs = published.length === 0 ? null : Math.max(...published) - plan.post.scheduledAt;
  return { targets: runs.size, published: published.length, lateByMs };
}

function entryOf(plan: PublishRun, run: TargetRun): TargetEntry {
  return { version: plan.post.version, planHash: plan.post.planHash, run };
}

function asStored(target: TargetRow): TargetRun {
  return { ...beginRun(target, target.nextAttemptAt ?? 0), state: target.state, remoteId: target.remoteId };
}
