import type { ArmHint } from "#core/arming.ts";
import type { TargetRun } from "#posting/run/target-run.ts";

/** The part of a Durable Object's storage that a journal needs; synchronous, so that a check and its write are one. */
export type JournalStorage = Pick<DurableObjectStorage, "setAlarm" | "getAlarm" | "deleteAll" | "sync"> & {
  readonly kv: Pick<SyncKvStorage, "get" | "put" | "delete" | "list">;
};

/**
 * The state of the post's runner. `armed`: waits for the due time. `claiming`: the claim may have been sent under `runId`.
 * `running`: the claim succeeded; only in this phase may anything visible be sent.
 */
export interface RunnerState {
  readonly postId: string;
  readonly version: number;
  readonly scheduledAt: number;
  readonly prepareAheadMs: number;
  readonly phase: "armed" | "claiming" | "running";
  /** Fencing token of the run; on disk before the claim is sent. */
  readonly runId: string | null;
  /** What D1 holds as `watch_at` while this run publishes. */
  readonly watchAt: number;
  /** A newer hint that arrived before this run was cleaned up. */
  readonly next: ArmHint | null;
}

/** A target in the journal, bound to the post version and plan hash that it was prepared for. */
export interface TargetEntry {
  readonly version: number;
  readonly planHash: string;
  readonly run: TargetRun;
}

const STATE_KEY = "state";
const TARGET_PREFIX = "t:";

/** Every key that the object stores: `state`, and one `t:{account id}` per target. Deleted when the post has ended. */
export class Journal {
  constructor(private readonly storage: JournalStorage) {}

  state(): RunnerState | undefined {
    return this.storage.kv.get<RunnerState>(STATE_KEY);
  }

  entries(): Map<string, TargetEntry> {
    return new Map(
      [...this.storage.kv.list<TargetEntry>({ prefix: TARGET_PREFIX })].map(([key, entry]) => [
        key.slice(TARGET_PREFIX.length),
        entry,
      ]),
    );
  }

  putState(state: RunnerState): void {
    this.storage.kv.put(STATE_KEY, state);
  }

  putEntry(entry: TargetEntry): void {
    this.storage.kv.put(`${TARGET_PREFIX}${entry.run.accountId}`, entry);
  }

  /** Arms for the version in the hint, and deletes what was prepared for another version. */
  arm(hint: ArmHint): RunnerState {
    const previous = this.state();
    if (previous?.version !== hint.version) {
      this.clearEntries();
    }
    const state: RunnerState = {
      postId: hint.postId,
      version: hint.version,
      scheduledAt: hint.scheduledAt,
      prepareAheadMs: hint.prepareAheadMs,
      phase: "armed",
      runId: null,
      watchAt: 0,
      next: null,
    };
    this.putState(state);
    return state;
  }

  /** After a successful claim: stores the running state and its targets together. */
  startRun(state: RunnerState, entries: readonly TargetEntry[]): void {
    this.clearEntries(new Set(entries.map((entry) => entry.run.accountId)));
    for (const entry of entries) {
      this.putEntry(entry);
    }
    this.putState(state);
  }

  private clearEntries(keepAccountIds: ReadonlySet<string> = new Set()): void {
    for (const accountId of this.entries().keys()) {
      if (!keepAccountIds.has(accountId)) {
        this.storage.kv.delete(`${TARGET_PREFIX}${accountId}`);
      }
    }
  }
}
