import { type ArmHint, FIRST_VERSION } from "#core/arming.ts";
import { MINUTE, SECOND } from "#core/clock.ts";
import type { Journal, JournalStorage, RunnerState } from "./journal.ts";
import type { RunContext } from "./run-context.ts";

/** An alarm that is overdue by this much was lost. */
const ALARM_LOST_AFTER_MS = MINUTE;

/**
 * The alarm of a post's object, and what it says where there is no journal.
 *
 * A post that was never edited, with nothing to prepare, is armed by its alarm alone: the object's name is the post, the version is the
 * first, the row says the rest, and the run id follows from the time of the alarm. A journal would be one more row for each post.
 * The same id never stands for two runs of which one may have sent: until its handler has ended the runtime fires an alarm again, under
 * the same time, but before anything is sent the journal is on disk; and a claim is made when the alarm has fired, while an object is
 * armed in this way only for a time ahead, so that another arming has another time.
 */
export class PostAlarm {
  constructor(
    private readonly storage: JournalStorage,
    private readonly journal: Journal,
    private readonly context: RunContext,
    /** The name of the object, which is the id of its post; undefined where the runtime does not tell it. */
    private readonly objectName: string | undefined,
  ) {}

  /** What is known of the post: from its journal, or from an alarm that was set without one. */
  async readState(): Promise<RunnerState | undefined> {
    if (this.journal.isEmpty()) {
      this.read(await this.storage.getAlarm());
    }
    return this.journal.state();
  }

  /** Reads what an alarm says that was set without a journal; nothing where there is one. */
  read(alarmAt: number | null): void {
    if (alarmAt !== null && this.objectName !== undefined && this.journal.isEmpty()) {
      this.journal.readAlarm(this.stateAt(alarmAt, this.objectName));
    }
  }

  /** Sets the alarm for the post in the hint, with a journal where the alarm does not say it all. */
  async arm(hint: ArmHint): Promise<void> {
    if (await this.isArmedFor(hint)) {
      return;
    }
    const wakeAt = this.context.armedWakeAt(hint);
    if (this.canArmWithoutJournal(hint, wakeAt)) {
      await this.storage.setAlarm(wakeAt);
      this.journal.readAlarm(this.stateAt(wakeAt, hint.postId));
    } else {
      // Journal and alarm are written without an await between them, so that the storage keeps both or neither.
      this.journal.arm(hint);
      await this.storage.setAlarm(Math.max(this.context.now(), wakeAt));
    }
  }

  /** Sets another alarm; what only the one before said is stored with it. */
  async set(at: number): Promise<void> {
    this.journal.writeBeforeAlarm();
    await this.storage.setAlarm(at);
  }

  /** Sets an alarm where there is none, or one that was lost. An alarm whose handler runs fires again by itself if it says all that is known. */
  async ensure(isAwake: boolean): Promise<void> {
    if (isAwake && this.journal.isOnlyInAlarm()) {
      return;
    }
    const alarmAt = await this.storage.getAlarm();
    if (alarmAt === null || alarmAt < this.context.now() - ALARM_LOST_AFTER_MS) {
      await this.set(this.context.now() + SECOND);
    }
  }

  /** Whether an alarm that says all that is known was set for the place of this post, which the hint does not know. */
  private async isArmedFor(hint: ArmHint): Promise<boolean> {
    if (hint.place !== undefined || !this.journal.isOnlyInAlarm()) {
      return false;
    }
    const alarmAt = await this.storage.getAlarm();
    return (
      alarmAt !== null &&
      this.context.isWakeToClaim(hint, alarmAt) &&
      this.journal.state()?.runId === runIdOf(alarmAt) &&
      this.canArmWithoutJournal(hint, alarmAt)
    );
  }

  private canArmWithoutJournal(hint: ArmHint, wakeAt: number): boolean {
    const isNew =
      this.journal.isEmpty() || (this.journal.isOnlyInAlarm() && this.journal.state()?.runId === runIdOf(wakeAt));
    return (
      isNew &&
      hint.postId === this.objectName &&
      hint.version === FIRST_VERSION &&
      hint.status === "scheduled" &&
      this.context.isWakeToClaim(hint, wakeAt) &&
      // mutant: alarm-lends-its-id
      wakeAt > this.context.now()
    );
  }

  private stateAt(alarmAt: number, postId: string): RunnerState {
    return {
      postId,
      version: FIRST_VERSION,
      scheduledAt: this.context.scheduledAtOfWake(postId, alarmAt),
      prepareAheadMs: 0,
      phase: "armed",
      runId: runIdOf(alarmAt),
      next: null,
    };
  }
}

function runIdOf(alarmAt: number): string {
  return `alarm-${alarmAt}`;
}
