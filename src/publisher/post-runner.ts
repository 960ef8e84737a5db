import type { ArmResult, ArmHint, RunnerSummary } from "#core/arming.ts";
import { MINUTE, SECOND } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import { type ClaimResult, claimPost, continueRun, matchesConfirmedPlan } from "#posting/run/claim-post.ts";
import { adoptEarlyPreparation, startAsUncertain, recoverInterruptedCommit } from "#posting/run/next-step.ts";
import { onlyWaits } from "#posting/run/record-results.ts";
import { isTerminal } from "#posting/state-machine.ts";
import { createTargetRun, type TargetRun } from "#posting/run/target-run.ts";
import type { PublishRun } from "#posting/run/store-run.ts";
import {
  advanceTargets,
  visibleStateKey,
  type ActiveRun,
  nextWakeAt,
  recordChanges,
  sendingRefusalOf,
} from "./advance-targets.ts";
import { RunContext } from "./run-context.ts";
import { EarlyPreparation, matchingRun } from "./early-preparation.ts";
import { type RunnerState, Journal, type JournalStorage } from "./journal.ts";
import { logSummary, startTarget, storedTargetRun, toEntry } from "./run-records.ts";
import { spreadDueAt, prepareStartAt, WARM_UP_MS, warmUpAt } from "./wake-times.ts";

/** Each alarm first sets the next one this far ahead, so that the object wakes again even if the process is killed. */
const RECOVERY_ALARM_MS = 30 * SECOND;
/** An alarm that is set for the current instant can be lost, so every alarm is set at least this far ahead. */
const MIN_ALARM_DELAY_MS = 250;
/** An alarm that is overdue by this much was lost. */
const ALARM_LOST_AFTER_MS = MINUTE;
/** The runtime aborts an alarm handler after this. */
const MAX_ALARM_RUNTIME_MS = 15 * MINUTE;
/** The first wait after an error is up to this, each further one up to twice as long. */
const ERROR_RETRY_MS = SECOND;
const ERROR_RETRY_MAX_MS = 30 * SECOND;

type SuccessfulClaim = Extract<ClaimResult, { readonly publishRun: PublishRun }>;

/** How an alarm ends: sleep until `wakeAt`, or nothing is left to do for the run. */
type AlarmResult = { readonly wakeAt: number } | { readonly endedRunId: string | null };

/**
 * Publishes one post: a timer and a journal, never a copy of the plan. The journal on disk is authoritative; the memory is
 * only a cache and is cleared after any error.
 */
export class PostRunner {
  private readonly journal: Journal;
  private readonly context: RunContext;
  private activeRun: ActiveRun | undefined;
  private earlyPreparation: EarlyPreparation | undefined;
  private waitAbort = new AbortController();
  private alarmStartedAt: number | null = null;
  private consecutiveErrors = 0;

  constructor(
    private readonly storage: JournalStorage,
    services: Services,
    sleep: RunContext["sleep"],
  ) {
    this.journal = new Journal(storage);
    this.context = new RunContext(services, sleep);
  }

  /** Idempotent: the hint's version is compared with the journal, and a run in progress only gets its alarm checked. */
  async sync(hint: ArmHint): Promise<ArmResult> {
    await failpoint("sync.before_store");
    const state = this.journal.state();
    if (state && state.phase !== "armed") {
      // Hints can arrive out of order, so the newest one is kept.
      const isNewer = hint.version > (state.next?.version ?? state.version);
      if (isNewer && hint.status === "scheduled") {
        this.journal.putState({ ...state, next: hint });
      }
      if (isNewer && state.phase === "claiming") {
        // Nothing was sent yet, and the claim will read the post's current status.
        this.waitAbort.abort();
        await this.storage.setAlarm(this.context.now() + MIN_ALARM_DELAY_MS);
      } else {
        await this.ensureAlarm();
      }
      return "running";
    }
    if (state && hint.version < state.version) {
      return "ignored";
    }
    this.waitAbort.abort();
    if (hint.status !== "scheduled" && hint.status !== "publishing") {
      await this.storage.deleteAll();
      return "disarmed";
    }
    // State and alarm are written without an await between them, so that the storage keeps both or neither.
    const armed = this.journal.arm(hint);
    await this.storage.setAlarm(Math.max(this.context.now(), this.firstWakeAt(armed)));
    await failpoint("sync.after_store");
    return "armed";
  }

  inspect(): RunnerSummary | null {
    const state = this.journal.state();
    return state ? { version: state.version, phase: state.phase } : null;
  }

  /** Never throws: the runtime gives up an alarm that keeps throwing, and the post would not be published. */
  async alarm(): Promise<void> {
    const startedAt = this.context.now();
    const alreadyRunning = this.alarmStartedAt !== null && startedAt - this.alarmStartedAt < MAX_ALARM_RUNTIME_MS;
    try {
      await this.storage.setAlarm(startedAt + RECOVERY_ALARM_MS);
      // The runtime never runs two alarms of one object at once: the second one was called by a test, or the first was aborted.
      if (alreadyRunning) {
        return;
      }
      this.alarmStartedAt = startedAt;
      await this.storage.sync();
      await failpoint("alarm.awake");
      const result = await this.runPhases();
      if ("wakeAt" in result) {
        await this.storage.setAlarm(Math.max(this.context.now() + MIN_ALARM_DELAY_MS, result.wakeAt));
      } else {
        await this.cleanUp(result.endedRunId);
      }
      this.consecutiveErrors = 0;
    } catch (error) {
      await this.retryAfterError(error);
    } finally {
      if (!alreadyRunning) {
        this.alarmStartedAt = null;
      }
    }
  }

  private async runPhases(): Promise<AlarmResult> {
    for (;;) {
      const state = this.journal.state();
      if (!state) {
        return { endedRunId: null };
      }
      switch (state.phase) {
        case "armed": {
          const wakeAt = await this.prepareEarly(state);
          if (wakeAt !== undefined) {
            return { wakeAt };
          }
          break;
        }
        case "claiming": {
          const result = (await this.waitUntilDue(state)) ?? (await this.claim(state));
          if (result) {
            return result;
          }
          break;
        }
        case "running":
          return await this.publish(state);
      }
    }
  }

  /** Prepares early and returns when to wake next; undefined when the warm-up begins or the state changed. */
  private async prepareEarly(state: RunnerState): Promise<number | undefined> {
    const dueAt = this.dueAt(state);
    const warmUpStart = warmUpAt(state.postId, dueAt);
    if (this.context.now() < Math.min(warmUpStart, this.firstWakeAt(state))) {
      return this.firstWakeAt(state);
    }
    if (this.context.now() < warmUpStart) {
      this.waitAbort = new AbortController();
      const { signal } = this.waitAbort;
      const wakeAt = await this.earlyPreparationFor(state, dueAt).prepareWhilePossible(signal);
      if (signal.aborted) {
        return undefined;
      }
      if (this.context.now() < warmUpStart) {
        return Math.min(wakeAt, warmUpStart);
      }
    }
    // If the answer of the claim is lost, the next claim must use the same run id, so the id is stored before.
    this.journal.putState({ ...state, phase: "claiming", runId: this.context.services.ids.secretUuid() });
    return undefined;
  }

  /** Prepares and sleeps until the due time; a newer hint ends the wait, because the claim reads the current post. */
  private async waitUntilDue(state: RunnerState): Promise<AlarmResult | undefined> {
    const dueAt = this.dueAt(state);
    this.waitAbort = new AbortController();
    const { signal } = this.waitAbort;
    if (this.context.now() < dueAt) {
      await this.earlyPreparationFor(state, dueAt).prepareWhilePossible(signal);
      await this.sleepUntil(dueAt, signal);
      if (!signal.aborted && this.context.now() < dueAt) {
        return { wakeAt: dueAt };
      }
    }
    await this.storage.sync();
    await failpoint("claim.stored");
    return undefined;
  }

  /** Exact to the millisecond: timers may fire slightly early, and nothing may be sent before the due time. */
  private async sleepUntil(dueAt: number, signal: AbortSignal): Promise<void> {
    let remainingMs = dueAt - this.context.now();
    while (remainingMs > 0 && !signal.aborted) {
      await this.context.sleep(Math.min(remainingMs, WARM_UP_MS), signal);
      const previousMs = remainingMs;
      remainingMs = dueAt - this.context.now();
      if (remainingMs >= previousMs) {
        return;
      }
    }
  }

  private async claim(state: RunnerState): Promise<AlarmResult | undefined> {
    const { runId } = state;
    if (runId === null) {
      throw new Error("the claiming state has no run id");
    }
    const { postId, version } = state;
    const claim = await claimPost(this.context.services, { postId, runId, version });
    switch (claim.state) {
      case "held":
        return { wakeAt: this.context.heldUntil() };
      case "nothing_to_do":
        return { endedRunId: runId };
      case "not_due":
        this.rearm(claim.hint);
        return undefined;
      case "claimed":
      case "taken_over":
        this.activeRun = await this.startRun(state, claim);
        await failpoint("claim.begun");
        return undefined;
    }
  }

  /** Stores the running state; from here on something visible may be sent. */
  private async startRun(state: RunnerState, claim: SuccessfulClaim): Promise<ActiveRun> {
    const { publishRun } = claim;
    const matchesConfirmation = await matchesConfirmedPlan(publishRun);
    const entries = this.journal.entries();
    const runs = publishRun.targets
      .filter((target) => !isTerminal(target.state))
      .map((target) =>
        startTarget(target, this.context.stepContext(publishRun, target), {
          isTakenOver: claim.state === "taken_over",
          matchesConfirmation,
          known:
            this.earlyPreparation?.preparedFor(publishRun, target.accountId) ??
            matchingRun(entries.get(target.accountId), publishRun),
        }),
      );
    this.journal.startRun(
      {
        ...state,
        phase: "running",
        runId: claim.runId,
        version: publishRun.post.version,
        scheduledAt: publishRun.post.scheduledAt,
        watchAt: claim.watchAt,
      },
      runs.map((run) => toEntry(publishRun, run)),
    );
    return this.createActiveRun(state, claim, runs, matchesConfirmation);
  }

  /** Continues a run after sleep or a crash, with the plan from D1 and the progress from the journal. */
  private async resumeRun(state: RunnerState, runId: string): Promise<ActiveRun | AlarmResult> {
    const { postId, version } = state;
    const entries = this.journal.entries();
    const renewRunId = onlyWaits([...entries.values()].map(({ run }) => run));
    const claim = await continueRun(this.context.services, { postId, runId, version, renewRunId });
    if (claim.state === "held") {
      return { wakeAt: this.context.heldUntil() };
    }
    if (claim.state === "nothing_to_do") {
      return { endedRunId: runId };
    }
    if (claim.state === "not_due") {
      this.rearm(claim.hint);
      return { wakeAt: this.context.now() };
    }
    const runs = claim.publishRun.targets.flatMap((target) => {
      const run = entries.get(target.accountId)?.run;
      // A terminal state in D1 is final, even if a crash lost the journal entry that led to it.
      if (isTerminal(target.state)) {
        return [];
      }
      if (run && isTerminal(run.state)) {
        return [run];
      }
      const stepContext = this.context.stepContext(claim.publishRun, target);
      return run && claim.state === "claimed"
        ? [recoverInterruptedCommit(run, stepContext)]
        : [startAsUncertain(run ?? createTargetRun(target, stepContext.now), stepContext)];
    });
    const matchesConfirmation = await matchesConfirmedPlan(claim.publishRun);
    // Written without an await between them, so that the storage keeps the new run id and its entries, or neither.
    this.journal.putState({ ...state, runId: claim.runId });
    for (const run of runs) {
      this.journal.putEntry(toEntry(claim.publishRun, run));
    }
    return this.createActiveRun(state, claim, runs, matchesConfirmation);
  }

  private createActiveRun(
    state: RunnerState,
    claim: SuccessfulClaim,
    runs: readonly TargetRun[],
    matchesConfirmation: boolean,
  ): ActiveRun {
    const { publishRun, runId, watchAt } = claim;
    const { earlyPreparation } = this;
    return {
      runId,
      publishRun,
      sendingRefusal: sendingRefusalOf(publishRun, matchesConfirmation),
      watchAt,
      dueAt: this.dueAt(state),
      targetRuns: new Map(runs.map((run) => [run.accountId, run])),
      recordedStateKeys: new Map(
        publishRun.targets.map((target) => [target.accountId, visibleStateKey(storedTargetRun(target))]),
      ),
      awaitEarlyStep: async (run) => {
        const stepInFlight = earlyPreparation?.stepInFlight(run.accountId);
        if (!stepInFlight) {
          return run;
        }
        await stepInFlight;
        const prepared = earlyPreparation?.preparedFor(publishRun, run.accountId);
        return prepared ? adoptEarlyPreparation(prepared, run, this.context.now()) : run;
      },
    };
  }

  private async publish(state: RunnerState): Promise<AlarmResult> {
    const { runId } = state;
    if (runId === null) {
      throw new Error("the running state has no run id");
    }
    if (this.activeRun?.runId !== runId) {
      const resumed = await this.resumeRun(state, runId);
      if (!("publishRun" in resumed)) {
        return resumed;
      }
      this.activeRun = resumed;
    }
    const { activeRun } = this;
    await advanceTargets(this.context, activeRun, {
      save: (run) => {
        activeRun.targetRuns.set(run.accountId, run);
        this.journal.putEntry(toEntry(activeRun.publishRun, run));
      },
      flush: () => this.storage.sync(),
    });
    // A post that waits has no run: what its journal says of the calls before must be on disk first.
    await this.storage.sync();
    const wakeAt = nextWakeAt(activeRun) ?? this.context.now();
    const recorded = await recordChanges(this.context, activeRun, { wakeAt, idle: true });
    switch (recorded.state) {
      case "ended":
        log("info", "publish.ended", { postId: state.postId, ...logSummary(activeRun) });
        return { endedRunId: activeRun.runId };
      case "waiting":
        this.rearm(recorded.hint, activeRun);
        return { wakeAt: this.context.now() };
      case "scheduled":
        this.rearm(recorded.hint);
        return { wakeAt: this.context.now() };
      case "put_back":
        this.clearMemory();
        return { wakeAt: this.context.now() };
      case "running":
        return { wakeAt: nextWakeAt(activeRun) ?? this.context.now() + ERROR_RETRY_MAX_MS };
    }
  }

  /** P7 (claimed too early) and P17 (it waits; its entries are kept): arms for the time in the row, or for a newer hint that came since. */
  private rearm(hint: ArmHint, waiting?: ActiveRun): void {
    this.clearMemory();
    const next = this.journal.state()?.next;
    const armed = this.journal.arm(next && next.version > hint.version ? next : hint);
    if (waiting && armed.version === hint.version) {
      for (const run of waiting.targetRuns.values()) {
        this.journal.putEntry({ ...toEntry(waiting.publishRun, run), version: hint.version });
      }
    }
  }

  /** Deletes storage and alarm, unless a newer hint arrived in the meantime. */
  private async cleanUp(runId: string | null): Promise<void> {
    await failpoint("alarm.before_cleanup");
    this.clearMemory();
    const state = this.journal.state();
    const isSameRun = state !== undefined && state.runId === runId;
    if (!state || (isSameRun && runId !== null && !state.next)) {
      await this.storage.deleteAll();
      return;
    }
    const wakeAt = isSameRun && state.next ? this.firstWakeAt(this.journal.arm(state.next)) : this.context.now();
    await this.storage.setAlarm(Math.max(this.context.now() + MIN_ALARM_DELAY_MS, wakeAt));
  }

  private async retryAfterError(error: unknown): Promise<void> {
    this.clearMemory();
    this.consecutiveErrors += 1;
    // Full jitter: posts that failed together, as when D1 is overloaded, must not all come back at the same instant.
    const maxWaitMs = Math.min(ERROR_RETRY_MAX_MS, ERROR_RETRY_MS * 2 ** (this.consecutiveErrors - 1));
    const waitMs = MIN_ALARM_DELAY_MS + Math.floor(this.context.random() * (maxWaitMs - MIN_ALARM_DELAY_MS));
    log("error", "publish.interrupted", { reason: String(error), inMs: waitMs });
    try {
      await this.storage.setAlarm(this.context.now() + waitMs);
    } catch (alarmError) {
      // The recovery alarm is still set, and the reconciler would find the post as well.
      log("error", "publish.alarm_not_set", { reason: String(alarmError) });
    }
  }

  private async ensureAlarm(): Promise<void> {
    const alarmAt = await this.storage.getAlarm();
    if (alarmAt === null || alarmAt < this.context.now() - ALARM_LOST_AFTER_MS) {
      await this.storage.setAlarm(this.context.now() + SECOND);
    }
  }

  private clearMemory(): void {
    this.activeRun = undefined;
    this.earlyPreparation = undefined;
  }

  private earlyPreparationFor(state: RunnerState, dueAt: number): EarlyPreparation {
    if (
      this.earlyPreparation?.state.version !== state.version ||
      this.earlyPreparation.state.scheduledAt !== state.scheduledAt
    ) {
      this.earlyPreparation = new EarlyPreparation(this.context, this.journal, state, dueAt);
    }
    return this.earlyPreparation;
  }

  private firstWakeAt(state: RunnerState): number {
    return prepareStartAt(state.postId, this.dueAt(state), state.prepareAheadMs);
  }

  private dueAt(state: RunnerState): number {
    const spreadMs = Number(this.context.services.config.setting("SPREAD_MS") ?? 0);
    return spreadDueAt(state, Number.isFinite(spreadMs) ? Math.max(0, spreadMs) : 0);
  }
}
