import type { ArmResult, ArmHint, RunnerSummary } from "#core/arming.ts";
import { MINUTE, SECOND } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import { nextDueAt } from "#arming/store-next-due-at.ts";
import { claimPost, continueRun, matchesConfirmedPlan } from "#publisher/run/claim-post.ts";
import { resumeTarget, startTarget } from "#publisher/run/start-target.ts";
import { onlyWaits } from "#publisher/run/record-results.ts";
import { isTerminal } from "#posts/rows/state-machine.ts";
import type { TargetRun } from "#publisher/run/target-run.ts";
import {
  type ActiveRun,
  createActiveRun,
  isWrittenNext,
  logSummary,
  nextWakeAt,
  type SuccessfulClaim,
  toEntry,
} from "./active-run.ts";
import { advanceTargets } from "./advance-targets.ts";
import { recordChanges } from "./record-changes.ts";
import { RunContext } from "./run-context.ts";
import { EarlyPreparation, matchingRun } from "./early-preparation.ts";
import { type RunnerState, Journal, type JournalStorage, withStoredHistory } from "./journal.ts";
import { claimAt, firstWakeAt } from "./wake-times.ts";

/** The runtime aborts an alarm handler after this time (ms). */
const MAX_ALARM_RUNTIME_MS = 15 * MINUTE;
/** How far ahead (ms) every alarm is set, because the runtime can lose an alarm for the present instant. */
const MIN_ALARM_DELAY_MS = 250;
/** An alarm that is overdue by this much (ms) was lost. */
const ALARM_LOST_AFTER_MS = MINUTE;
/** The longest first wait (ms) after an error. Each further wait may be twice as long. */
const ERROR_RETRY_MS = SECOND;
const ERROR_RETRY_MAX_MS = 30 * SECOND;
/** After this time (ms) the object checks whether the runtime has aborted its first handler. */
const RECOVERY_ALARM_MS = 30 * SECOND;

/** How an alarm ends: the object sleeps until `wakeAt`, or its run has ended. */
type AlarmResult = { readonly wakeAt: number } | { readonly endedRunId: string | null };

/**
 * Publishes one post. It has a timer and a journal, but never a copy of the post, because the row in D1 decides what is
 * published. The journal on disk decides; memory is a cache that any error clears.
 */
export class PostRunner {
  private readonly journal: Journal;
  private readonly context: RunContext;
  private activeRun: ActiveRun | undefined;
  private earlyPreparation: EarlyPreparation | undefined;
  /** True from the moment at which the object may have sent its claim. */
  private isClaimed = false;
  private waitAbort = new AbortController();
  private alarmStartedAt: number | null = null;
  private consecutiveErrors = 0;

  constructor(
    private readonly storage: JournalStorage,
    services: Services,
    sleep: RunContext["sleep"],
  ) {
    this.journal = new Journal(storage, () => services.ids.secretUuid());
    this.context = new RunContext(services, sleep);
  }

  /**
   * Sets, moves or removes the alarm; safe to repeat. A hint never changes a run in progress: it waits in `next`, and
   * only the alarm is checked.
   */
  async sync(hint: ArmHint): Promise<ArmResult> {
    await failpoint("sync.before_store");
    const state = this.journal.state();
    if (state && (this.isClaimed || state.phase === "running")) {
      // Hints can arrive out of order, so keep the newest.
      if (hint.version > (state.next?.version ?? state.version) && hint.status === "scheduled") {
        this.journal.setState({ ...state, next: hint });
        this.journal.write();
      }
      await this.ensureAlarm();
      return "running";
    }
    if (state && hint.version < state.version) {
      return "ignored";
    }
    this.waitAbort.abort();
    if (hint.status !== "scheduled" && hint.status !== "publishing") {
      await this.journal.deleteAll();
      return "disarmed";
    }
    // Do not await between the two writes, so that the storage keeps both or neither.
    this.journal.arm(hint);
    await this.storage.setAlarm(Math.max(this.context.now(), firstWakeAt(hint)));
    await failpoint("sync.after_store");
    return "armed";
  }

  inspect(): RunnerSummary | null {
    const state = this.journal.state();
    return state ? { version: state.version, runId: this.activeRun?.runId ?? state.runId } : null;
  }

  /**
   * Runs the due steps. Throws only if the storage refuses the next alarm. The runtime deletes an alarm after its
   * handler has returned, and fires it again after a kill or a throw. It drops an alarm that keeps throwing, so every
   * other error sets the next alarm here.
   */
  async alarm(): Promise<void> {
    const startedAt = this.context.now();
    if (this.isAwake()) {
      // The runtime never runs two alarms of one object at once. So a test made this call, or the runtime has aborted
      // the first handler.
      await this.setAlarm(startedAt + RECOVERY_ALARM_MS);
      return;
    }
    this.alarmStartedAt = startedAt;
    try {
      await failpoint("alarm.awake");
      const result = await this.runPhases();
      if ("wakeAt" in result) {
        // Do not await between the two writes, so that the storage keeps both or neither.
        this.journal.write();
        await this.setAlarm(result.wakeAt);
      } else {
        await this.cleanUp(result.endedRunId);
      }
      this.consecutiveErrors = 0;
    } catch (error) {
      await this.retryAfterError(error);
    } finally {
      this.alarmStartedAt = null;
    }
  }

  /** Whether an alarm handler is running that the runtime has not aborted. */
  private isAwake(): boolean {
    return this.alarmStartedAt !== null && this.context.now() - this.alarmStartedAt < MAX_ALARM_RUNTIME_MS;
  }

  private async setAlarm(at: number): Promise<void> {
    await this.storage.setAlarm(Math.max(this.context.now() + MIN_ALARM_DELAY_MS, at));
  }

  /** Sets an alarm if it is missing or was lost. While a handler runs, the runtime still has its alarm. */
  private async ensureAlarm(): Promise<void> {
    if (this.isAwake()) {
      return;
    }
    const alarmAt = await this.storage.getAlarm();
    if (alarmAt === null || alarmAt < this.context.now() - ALARM_LOST_AFTER_MS) {
      await this.setAlarm(this.context.now() + SECOND);
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
          const result = (await this.prepareEarly(state)) ?? (await this.claimAndWait());
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

  /**
   * Prepares until it is time to claim, then returns undefined. If nothing is due before, it returns earlier, with the
   * next wake time.
   */
  private async prepareEarly(armed: RunnerState): Promise<AlarmResult | undefined> {
    for (let state: RunnerState | undefined = armed; state; state = this.journal.state()) {
      const claimFrom = claimAt(state.postId, state.scheduledAt);
      const now = this.context.now();
      // An alarm may fire a little early, and no alarm can be set for so short a time, so claim now.
      if (now >= claimFrom - MIN_ALARM_DELAY_MS) {
        return undefined;
      }
      const startAt = firstWakeAt(state);
      if (now < startAt) {
        return { wakeAt: startAt };
      }
      this.waitAbort = new AbortController();
      const { signal } = this.waitAbort;
      const wakeAt = await this.earlyPreparationFor(state).prepareWhilePossible(claimFrom, signal);
      // After an abort, a newer hint has changed the state, so look at it again.
      if (!signal.aborted && this.context.now() < claimFrom) {
        return { wakeAt };
      }
    }
    return { endedRunId: null };
  }

  /** Claims the post, waits until it is due and begins the run. Undefined means that the run has begun. */
  private async claimAndWait(): Promise<AlarmResult | undefined> {
    const state = this.journal.state();
    if (!state) {
      return undefined;
    }
    // Store the run id before the claim: if the answer is lost, the next claim must use the same id.
    this.journal.write();
    this.isClaimed = true;
    const claim = await claimPost(this.context.services, state, this.context.accountsOfClaim(state.postId));
    switch (claim.state) {
      case "held":
        this.isClaimed = false;
        return { wakeAt: this.context.heldUntil() };
      case "nothing_to_do":
        return { endedRunId: state.runId };
      case "not_due":
        return { wakeAt: this.rearm(claim.hint) };
      case "claimed":
      case "taken_over":
        return await this.waitUntilDue(claim);
    }
  }

  /**
   * Prepares what is left and waits until the post is due; nobody can change a claimed post. Nothing is stored: after a
   * crash the object claims again under the same run id and prepares again.
   */
  private async waitUntilDue(claim: SuccessfulClaim): Promise<AlarmResult | undefined> {
    const { publishRun } = claim;
    const { id: postId, version, scheduledAt } = publishRun.post;
    const dueAt = nextDueAt(scheduledAt, publishRun.targets);
    const matchesConfirmation = await matchesConfirmedPlan(publishRun);
    if (this.context.now() < dueAt && matchesConfirmation && claim.state === "claimed") {
      this.context.readAccessAhead(publishRun.targets.filter(({ state }) => !isTerminal(state)));
      if (!this.earlyPreparation?.isFor(publishRun)) {
        const about = { postId, version, scheduledAt };
        this.earlyPreparation = new EarlyPreparation(this.context, this.journal, about, dueAt, publishRun);
      }
      await this.earlyPreparation.prepareWhilePossible(dueAt, new AbortController().signal);
    }
    await failpoint("claim.waiting");
    const isDue = await this.context.sleepUntil(dueAt);
    const state = this.journal.state();
    if (!state) {
      throw new Error("the journal was deleted while its post waited");
    }
    if (!isDue) {
      this.journal.setState({ ...state, scheduledAt: dueAt });
      this.clearMemory();
      return { wakeAt: claimAt(postId, dueAt) };
    }
    this.activeRun = this.startRun(state, claim, matchesConfirmation);
    await failpoint("claim.begun");
    return undefined;
  }

  /** Begins the phase in which visible calls may be sent. The first intent writes it to disk. */
  private startRun(state: RunnerState, claim: SuccessfulClaim, matchesConfirmation: boolean): ActiveRun {
    const { publishRun } = claim;
    const entries = this.journal.entries();
    const runs = publishRun.targets
      .filter((target) => !isTerminal(target.state))
      .map((target) =>
        startTarget(target, this.context.stepContext(publishRun, target), {
          isTakenOver: claim.state === "taken_over",
          matchesConfirmation,
          known:
            this.earlyPreparation?.preparedFor(publishRun, target.accountId) ??
            matchingRun(entries.get(target.accountId), publishRun, target),
        }),
      );
    const { version, scheduledAt } = publishRun.post;
    const next = state.next && state.next.version > version ? state.next : null;
    this.journal.startRun(
      { ...state, phase: "running", runId: claim.runId, version, scheduledAt, next },
      runs.map((run) => toEntry(publishRun, run)),
    );
    return this.createActiveRun(claim, runs, matchesConfirmation);
  }

  /** Continues a run after sleep or a crash: reads the post from D1 and the progress from the journal. */
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
      return { wakeAt: this.rearm(claim.hint) };
    }
    const runs = claim.publishRun.targets.flatMap((target) => {
      const entry = entries.get(target.accountId);
      return resumeTarget(target, this.context.stepContext(claim.publishRun, target), {
        isTakenOver: claim.state === "taken_over",
        known: entry && withStoredHistory(entry.run, target),
      });
    });
    const matchesConfirmation = await matchesConfirmedPlan(claim.publishRun);
    this.journal.setState({ ...state, runId: claim.runId });
    for (const run of runs) {
      this.journal.setEntry(toEntry(claim.publishRun, run));
    }
    return this.createActiveRun(claim, runs, matchesConfirmation);
  }

  private createActiveRun(claim: SuccessfulClaim, runs: readonly TargetRun[], matchesConfirmation: boolean): ActiveRun {
    const { earlyPreparation } = this;
    return createActiveRun(claim, runs, {
      matchesConfirmation,
      awaitEarlyStep: async (run) => (await earlyPreparation?.afterStepInFlight(claim.publishRun, run)) ?? run,
    });
  }

  /** Runs the steps of the targets until none is due, and records the results. */
  private async publish(state: RunnerState): Promise<AlarmResult> {
    const { runId } = state;
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
        this.journal.setEntry(toEntry(activeRun.publishRun, run));
        if (!isWrittenNext(activeRun, run)) {
          this.journal.write();
        }
      },
      flush: async () => {
        // Wait for targets that send at the same instant, so that they share one write.
        await Promise.resolve();
        this.journal.write();
        await this.storage.sync();
      },
    });
    const nextStepAt = nextWakeAt(activeRun);
    if (nextStepAt !== undefined) {
      // A post that waits for its next try has no run, so store what has happened before D1 releases it.
      this.journal.write();
      await this.storage.sync();
    }
    const recorded = await recordChanges(this.context, activeRun, {
      wakeAt: nextStepAt ?? this.context.now(),
      idle: true,
    });
    switch (recorded.state) {
      case "ended":
        log("info", "publish.ended", { postId: state.postId, ...logSummary(activeRun) });
        return { endedRunId: activeRun.runId };
      case "waiting":
        return { wakeAt: this.rearm(recorded.hint, activeRun) };
      case "scheduled":
        return { wakeAt: this.rearm(recorded.hint) };
      case "put_back":
        this.journal.write();
        this.clearMemory();
        return { wakeAt: this.context.now() };
      case "running":
        return { wakeAt: nextStepAt ?? this.context.now() + ERROR_RETRY_MAX_MS };
    }
  }

  /**
   * Arms the post for the time in its row, or for a newer hint: after a claim that was too early (P7), or while it
   * waits for its next try and keeps its entries (P17). Returns when (ms) to wake.
   */
  private rearm(hint: ArmHint, waiting?: ActiveRun): number {
    this.clearMemory();
    const next = this.journal.state()?.next;
    const newest = next && next.version > hint.version ? next : hint;
    const entries =
      waiting && newest === hint
        ? [...waiting.targetRuns.values()].map((run) => ({
            ...toEntry(waiting.publishRun, run),
            version: hint.version,
          }))
        : undefined;
    return firstWakeAt(this.journal.arm(newest, entries));
  }

  /** Deletes the object's storage and alarm, unless a newer hint has arrived. */
  private async cleanUp(runId: string | null): Promise<void> {
    await failpoint("alarm.before_cleanup");
    this.clearMemory();
    const state = this.journal.state();
    const isSameRun = state !== undefined && state.runId === runId;
    if (!state || (isSameRun && runId !== null && !state.next)) {
      await this.journal.deleteAll();
      return;
    }
    await this.setAlarm(isSameRun && state.next ? firstWakeAt(this.journal.arm(state.next)) : this.context.now());
  }

  private async retryAfterError(error: unknown): Promise<void> {
    try {
      // Store a result that D1 did not accept, so that it is not lost with the memory.
      // mutant: result-lost-with-error
      this.journal.write();
    } catch (storageError) {
      log("error", "publish.journal_not_written", { reason: String(storageError) });
    }
    this.journal.forget();
    this.clearMemory();
    this.consecutiveErrors += 1;
    // Choose the wait at random (full jitter): posts that failed together, for example because D1 was overloaded, must
    // not retry together.
    const maxWaitMs = Math.min(ERROR_RETRY_MAX_MS, ERROR_RETRY_MS * 2 ** (this.consecutiveErrors - 1));
    const jitteredMs = MIN_ALARM_DELAY_MS + Math.floor(this.context.random() * (maxWaitMs - MIN_ALARM_DELAY_MS));
    log("error", "publish.interrupted", { reason: String(error), inMs: jitteredMs });
    const now = this.context.now();
    const dueAt = this.journal.state()?.scheduledAt ?? now;
    // A post that is not due yet must not sleep longer than until its due time.
    await this.setAlarm(dueAt > now ? Math.min(now + jitteredMs, dueAt) : now + jitteredMs);
  }

  private clearMemory(): void {
    this.activeRun = undefined;
    this.earlyPreparation = undefined;
    this.isClaimed = false;
  }

  private earlyPreparationFor(state: RunnerState): EarlyPreparation {
    if (
      this.earlyPreparation?.state.version !== state.version ||
      this.earlyPreparation.state.scheduledAt !== state.scheduledAt
    ) {
      this.earlyPreparation = new EarlyPreparation(this.context, this.journal, state, state.scheduledAt);
    }
    return this.earlyPreparation;
  }
}
