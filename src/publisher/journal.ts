import type { ArmHint } from "#core/arming.ts";
import type { TargetRun } from "#posting/run/target-run.ts";

/** The part of a Durable Object's storage that a journal needs; synchronous, so that a check and its write are one. */
export type JournalStorage = Pick<DurableObjectStorage, "setAlarm" | "getAlarm" | "deleteAll" | "sync"> & {
  readonly kv: Pick<SyncKvStorage, "get" | "put" | "delete" | "list">;
};

/**
 * What the object is about. `armed`: waits for its time. `claiming`: the claim may have been sent under `runId`. `running`:
 * the claim is ours, and only now may anything visible be sent.
 */
export interface RunnerState {
  readonly postId: string;
  readonly version: number;
  readonly scheduledAt: number;
  readonly prepareAheadMs: number;
  readonly phase: "armed" | "claiming" | "running";
  /** The fencing token; on disk before the claim is sent. */
  readonly runId: string | null;
  /** What D1 holds as `watch_at` while this run publishes. */
  readonly watchAt: number;
  /** A newer plan that arrived before this run was cleared away. */
  readonly next: ArmHint | null;
}

/** A target in the journal, bound to the plan it was prepared for. */
export interface TargetEntry {
  readonly version: number;
  readonly planHash: string;
  readonly run: TargetRun;
}

const JOB = "job";
const TARGET = "t:";

/** Every key the object stores: `job` and one `t:{account id}` a target. Gone as soon as the post has ended. */
export class Journal {
  constructor(private readonly storage: JournalStorage) {}

  job(): RunnerState | undefined {
    return this.storage.kv.get<RunnerState>(JOB);
  }

  entries(): Map<string, TargetEntry> {
    return new Map(
      [...this.storage.kv.list<TargetEntry>({ prefix: TARGET })].map(([key, entry]) => [
        key.slice(TARGET.length),
        entry,
      ]),
    );
  }

  putJob(job: RunnerState): void {
    this.storage.kv.put(JOB, job);
  }

  putEntry(entry: TargetEntry): void {
    this.storage.kv.put(`${TARGET}${entry.run.accountId}`, entry);
  }

  /** A new plan: whatever was prepared for the old one is let go. */
  arm(hint: ArmHint): RunnerState {
    const before = this.job();
    if (before?.version !== hint.version) {
      this.clearEntries();
    }
    const job: RunnerState = {
      postId: hint.postId,
      version: hint.version,
      scheduledAt: hint.scheduledAt,
      prepareAheadMs: hint.prepareAheadMs,
      phase: "armed",
      runId: null,
      watchAt: 0,
      next: null,
    };
    this.putJob(job);
    return job;
  }

  /** The claim is ours: the run and its targets begin together. */
  begin(job: RunnerState, entries: readonly TargetEntry[]): void {
    this.clearEntries(new Set(entries.map((entry) => entry.run.accountId)));
    for (const entry of entries) {
      this.putEntry(entry);
    }
    this.putJob(job);
  }

  private clearEntries(but: ReadonlySet<string> = new Set()): void {
    for (const accountId of this.entries().keys()) {
      if (!but.has(accountId)) {
        this.storage.kv.delete(`${TARGET}${accountId}`);
      }
    }
  }
}
