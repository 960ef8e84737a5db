import type { ArmResult, ArmHint, RunnerSummary } from "#core/arming.ts";
import { MINUTE, SECOND } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import { nextDueAt } from "#arming/next-due-at.ts";
import { type ClaimResult, claimPost, continueRun, matchesConfirmedPlan } from "#publisher/run/claim-post.ts";
import { onlyWaits } from "#publisher/run/record-results.ts";
import { isTerminal } from "#posts/rows/state-machine.ts";
import type { TargetRun } from "#publisher/run/target-run.ts";
import type { PublishRun } from "#publisher/run/store-run.ts";
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
import { type RunnerState, Journal, type JournalStorage, withStoredHistory } from "./journal.ts";
import { isWrittenNext, logSummary, resumeTarget, startTarget, storedTargetRun, toEntry } from "./run-records.ts";
import { claimAt, firstWakeAt } from "./wake-times.ts";

/** The runtime aborts an alarm handler after this. */
const MAX_ALARM_RUNTIME_MS = 15 * MINUTE;
/** An alarm that is set for the current instant can be lost, so every alarm is set at least this far ahead. */
const MIN_ALARM_DELAY_MS = 250;
/** An alarm that is overdue by this much was lost. */
const ALARM_LOST_AFTER_MS = MINUTE;
/** The first wait after an error is up to this, each further one up to twice as long. */
const ERROR_RETRY_MS = SECOND;
const ERROR_RETRY_MAX_MS = 30 * SECOND;
/** An object looks after a handler that may have been aborted after this. */
const RECOVERY_ALARM_MS = 30 * SECOND;

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
  /** Set from the moment at which the claim may be on its way. */
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

  /** Idempotent: the hint's version is compared with the journal, and a run in progress only gets its alarm checked. */
  async sync(hint: ArmHint): Promise<ArmResult> {
    await failpoint("sync.before_store");
    const state = this.journal.state();
    if (state && (this.isClaimed || state.phase === "running")) {
      // Hints can arrive out of order, so the newest one is kept.
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
    // Journal and alarm are written without an await between them, so that the storage keeps both or neither.
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
   * Throws only when its storage refuses another alarm. The runtime deletes an alarm when its handler has returned, and fires it again
   * after a kill or a throw, so no recovery alarm is needed; the runtime gives up an alarm that keeps throwing.
   */
  async alarm(): Promise<void> {
    const startedAt = this.context.now();
    if (this.isAwake()) {
      // The runtime never runs two alarms of one object at once: a test called the second one, or the runtime aborted the first.
      await this.setAlarm(startedAt + RECOVERY_ALARM_MS);
      return;
    }
    this.alarmStartedAt = startedAt;
    try {
      await failpoint("alarm.awake");
      const result = await this.runPhases();
      if ("wakeAt" in result) {
        // Written without an await between them: what the journal says is what the alarm is for.
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

  /** Whether an alarm handler runs; not one that the runtime has aborted. */
  private isAwake(): boolean {
    return this.alarmStartedAt !== null && this.context.now() - this.alarmStartedAt < MAX_ALARM_RUNTIME_MS;
  }

  private async setAlarm(at: number): Promise<void> {
    await this.storage.setAlarm(Math.max(this.context.now() + MIN_ALARM_DELAY_MS, at));
  }

  /** Sets an alarm where there is none, or one that was lost. An alarm whose handler runs fires again by itself. */
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
          const result = (await this.prepareEarly(state)) ?? (await this.claimAndHold());
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

  /** Before the time to claim: prepares and returns when to wake next; undefined when it is time to claim. */
  private async prepareEarly(armed: RunnerState): Promise<AlarmResult | undefined> {
    for (let state: RunnerState | undefined = armed; state; state = this.journal.state()) {
      const claimFrom = claimAt(state.postId, state.scheduledAt);
      const now = this.context.now();
      // An alarm may fire a little early, and another one cannot be set for so soon.
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
      // Aborted: a newer hint has changed the state.
      if (!signal.aborted && this.context.now() < claimFrom) {
        return { wakeAt };
      }
    }
    return { endedRunId: null };
  }

  /** Claims the post, prepares what is left, and begins the run when the post is due; undefined when the phase has changed. */
  private async claimAndHold(): Promise<AlarmResult | undefined> {
    const state = this.journal.state();
    if (!state) {
      return undefined;
    }
    // The next claim must use the same run id if the answer is lost, so that id is on disk first.
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
        return await this.holdUntilDue(claim);
    }
  }

  /**
   * The post is claimed, so that nothing changes it any more. Everything that is not visible happens now, in memory only: after a crash
   * it is claimed again under the same run id.
   */
  private async holdUntilDue(claim: SuccessfulClaim): Promise<AlarmResult | undefined> {
    const { publishRun } = claim;
    const { id: postId, workspaceId, version, scheduledAt } = publishRun.post;
    const dueAt = nextDueAt(scheduledAt, publishRun.targets);
    const matchesConfirmation = await matchesConfirmedPlan(publishRun);
    if (this.context.now() < dueAt && matchesConfirmation && claim.state === "claimed") {
      this.context.readAccessAhead(publishRun.targets.filter(({ state }) => !isTerminal(state)));
      if (!this.earlyPreparation?.isFor(publishRun)) {
        const about = { postId, workspaceId, version, scheduledAt };
        this.earlyPreparation = new EarlyPreparation(this.context, this.journal, about, dueAt, publishRun);
      }
      await this.earlyPreparation.prepareWhilePossible(dueAt, new AbortController().signal);
    }
    await failpoint("claim.held");
    const isDue = await this.context.sleepUntil(dueAt);
    const state = this.journal.state();
    if (!state) {
      throw new Error("the journal was deleted while its post was held");
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

  /** From here on something visible may be sent; on disk before the first such call. */
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

  /** Continues a run after sleep or a crash, with the plan from D1 and the progress from the journal. */
  private async resumeRun(state: RunnerState, runId: string): Promise<ActiveRun | AlarmResult> {
    const { postId, workspaceId, version } = state;
    const entries = this.journal.entries();
    const renewRunId = onlyWaits([...entries.values()].map(({ run }) => run));
    const claim = await continueRun(this.context.services, { postId, workspaceId, runId, version, renewRunId });
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
    const { publishRun, runId, watchAt } = claim;
    const { earlyPreparation } = this;
    return {
      runId,
      publishRun,
      sendingRefusal: sendingRefusalOf(publishRun, matchesConfirmation),
      watchAt,
      dueAt: publishRun.post.scheduledAt,
      targetRuns: new Map(runs.map((run) => [run.accountId, run])),
      recordedStateKeys: new Map(
        publishRun.targets.map((target) => [target.accountId, visibleStateKey(storedTargetRun(target))]),
      ),
      awaitEarlyStep: async (run) => (await earlyPreparation?.afterStepInFlight(publishRun, run)) ?? run,
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
        this.journal.setEntry(toEntry(activeRun.publishRun, run));
        if (!isWrittenNext(activeRun, run)) {
          this.journal.write();
        }
      },
      flush: async () => {
        // Targets that are sent at the same instant share a write.
        await Promise.resolve();
        this.journal.write();
        await this.storage.sync();
      },
    });
    const nextStepAt = nextWakeAt(activeRun);
    if (nextStepAt !== undefined) {
      // A post that waits has no run: what its journal says of the calls before must be on disk first.
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

  /** P7 (claimed too early) and P17 (it waits; its entries are kept): arms for the time in the row, or for a newer hint that came since; returns when to wake. */
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

  /** Deletes storage and alarm, unless a newer hint arrived in the meantime. */
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
      // A result that D1 did not take must not be lost with the memory.
      // mutant: result-lost-with-error
      this.journal.write();
    } catch (storageError) {
      log("error", "publish.journal_not_written", { reason: String(storageError) });
    }
    this.journal.forget();
    this.clearMemory();
    this.consecutiveErrors += 1;
    // Full jitter: posts that failed together, as when D1 is overloaded, must not all come back at the same instant.
    const maxWaitMs = Math.min(ERROR_RETRY_MAX_MS, ERROR_RETRY_MS * 2 ** (this.consecutiveErrors - 1));
    const jitteredMs = MIN_ALARM_DELAY_MS + Math.floor(this.context.random() * (maxWaitMs - MIN_ALARM_DELAY_MS));
    log("error", "publish.interrupted", { reason: String(error), inMs: jitteredMs });
    const now = this.context.now();
    const dueAt = this.journal.state()?.scheduledAt ?? now;
    // A post that waits for its time wakes when it is due.
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
