import { z } from "zod";
import type { ArmHint } from "#core/arming.ts";
import { log } from "#core/log.ts";
import { TARGET_STATES } from "#core/status.ts";
import { MAX_HISTORY, type TargetRun } from "#publisher/run/target-run.ts";

/**
 * The part of a Durable Object's storage that a journal needs. Key-value calls are synchronous, so nothing comes
 * between a check and its write.
 */
export type JournalStorage = Pick<DurableObjectStorage, "setAlarm" | "getAlarm" | "deleteAll" | "sync"> & {
  readonly kv: Pick<SyncKvStorage, "get" | "put">;
};

/**
 * The state of a post's Durable Object. `armed`: it waits for the due time, and may have sent the claim under `runId`,
 * but nothing visible. `running`: its claim succeeded; only now may it send visible calls.
 */
export interface RunnerState {
  readonly postId: string;
  readonly workspaceId: string;
  readonly version: number;
  readonly scheduledAt: number;
  readonly prepareAheadMs: number;
  readonly phase: "armed" | "running";
  /**
   * The id of the run, stored when the post is armed. It proves that a run still owns the post, because no other run
   * ever gets the id of one that may have sent something.
   */
  readonly runId: string;
  /** The newest hint that arrived between the claim and the cleanup. */
  readonly next: ArmHint | null;
}

/** A target in the journal, with the post version and plan hash for which it was prepared. */
export interface TargetEntry {
  readonly version: number;
  readonly planHash: string;
  readonly run: TargetRun;
}

/**
 * The format of the stored values, because objects outlive deployments. A change of the types above needs a new number,
 * and a schema that still reads the older one. A value that cannot be read counts as lost, and its targets are looked
 * up before anything is sent.
 */
const FORMAT = 1;
const StoredHint = z.object({
  postId: z.string(),
  workspaceId: z.string(),
  version: z.number(),
  status: z.string(),
  scheduledAt: z.number(),
  prepareAheadMs: z.number(),
});
const StoredState = StoredHint.omit({ status: true }).extend({
  format: z.literal(FORMAT),
  phase: z.enum(["armed", "running"]),
  runId: z.string(),
  next: StoredHint.nullable(),
  targets: z.array(z.unknown()),
});
const StoredEntry = z.object({
  version: z.number(),
  planHash: z.string(),
  run: z.object({
    accountId: z.string(),
    state: z.enum(TARGET_STATES),
    wakeAt: z.number(),
    cursor: z.looseObject({}).nullable(),
    prepared: z.looseObject({ expiresAt: z.number().nullable() }).nullable(),
    attemptCounted: z.boolean(),
    attempts: z.number(),
    runAttempts: z.number(),
    rateLimitWaits: z.number(),
    unansweredVerifies: z.number(),
    staleReferences: z.number(),
    publishedParts: z.number(),
    preparingSince: z.number().nullable(),
    committedAt: z.number().nullable(),
    lastCommittedAt: z.number().nullable(),
    acceptedAt: z.number().nullable(),
    progress: z.unknown(),
    startedAt: z.number().nullable(),
    publishedAt: z.number().nullable(),
    remoteId: z.string().nullable(),
    remoteUrl: z.string().nullable(),
    error: z.looseObject({ code: z.string() }).nullable(),
    extras: z.looseObject({}).nullable(),
    history: z.array(z.looseObject({ at: z.number() })),
  }),
});

const JOURNAL_KEY = "journal";
/**
 * How many history entries of a target the journal has. A value may have 2 MiB, and so the largest post fits. The
 * target's row has the older entries.
 */
const STORED_HISTORY = 10;

interface Content {
  readonly state: RunnerState;
  readonly entries: Map<string, TargetEntry>;
}

/**
 * Everything that the object stores, in one value, which is deleted when the post has ended. Changes stay in memory
 * until `write`, so that related changes cost one write.
 */
export class Journal {
  /** Null: nothing readable is stored. Undefined: the storage has not been read yet. */
  private content: Content | null | undefined;
  private isChanged = false;

  constructor(
    private readonly storage: JournalStorage,
    private readonly newRunId: () => string,
  ) {}

  state(): RunnerState | undefined {
    return this.load()?.state;
  }

  entries(): ReadonlyMap<string, TargetEntry> {
    return this.load()?.entries ?? new Map<string, TargetEntry>();
  }

  /** Replaces the state in the journal and keeps its targets. */
  setState(state: RunnerState): void {
    this.set(state, this.load()?.entries ?? new Map());
  }

  setEntry(entry: TargetEntry): void {
    const content = this.load();
    if (content) {
      content.entries.set(entry.run.accountId, entry);
      this.isChanged = true;
    }
  }

  /** Arms the post for the version in the hint, and drops what another version has prepared. */
  arm(hint: ArmHint, entries?: readonly TargetEntry[]): RunnerState {
    const previous = this.load();
    const kept = previous?.state.version === hint.version ? previous.entries : new Map<string, TargetEntry>();
    const state: RunnerState = {
      postId: hint.postId,
      workspaceId: hint.workspaceId,
      version: hint.version,
      scheduledAt: hint.scheduledAt,
      prepareAheadMs: hint.prepareAheadMs,
      phase: "armed",
      // Keep the id until the run begins: D1 may have accepted a claim whose answer was lost.
      // mutant: claim-forgets-its-id, run-lends-its-id
      runId: previous?.state.phase === "armed" ? previous.state.runId : this.newRunId(),
      next: null,
    };
    this.set(state, entries ? toMap(entries) : kept);
    this.write();
    return state;
  }

  /** Replaces state and targets in the journal after a successful claim. */
  startRun(state: RunnerState, entries: readonly TargetEntry[]): void {
    this.set(state, toMap(entries));
  }

  /** Writes the changes in memory to disk, if there are any. */
  write(): void {
    const { content } = this;
    if (!content || !this.isChanged) {
      return;
    }
    const targets = [...content.entries.values()].map(({ run, ...entry }) => ({
      ...entry,
      run: { ...run, history: run.history.slice(-STORED_HISTORY) },
    }));
    this.storage.kv.put(JOURNAL_KEY, { format: FORMAT, ...content.state, targets });
    this.isChanged = false;
  }

  /** Forgets what is in memory, so that the next read comes from disk. */
  forget(): void {
    this.content = undefined;
    this.isChanged = false;
  }

  async deleteAll(): Promise<void> {
    this.content = null;
    this.isChanged = false;
    await this.storage.deleteAll();
  }

  private set(state: RunnerState, entries: Map<string, TargetEntry>): void {
    this.content = { state, entries };
    this.isChanged = true;
  }

  private load(): Content | null {
    this.content ??= this.read();
    return this.content;
  }

  private read(): Content | null {
    const stored = this.storage.kv.get<RunnerState & { readonly targets: readonly TargetEntry[] }>(JOURNAL_KEY);
    if (stored === undefined || !isReadable(JOURNAL_KEY, stored, StoredState)) {
      return null;
    }
    const { postId, workspaceId, version, scheduledAt, prepareAheadMs, phase, runId, next } = stored;
    return {
      state: { postId, workspaceId, version, scheduledAt, prepareAheadMs, phase, runId, next },
      entries: toMap(stored.targets.filter((entry) => isReadable("targets", entry, StoredEntry))),
    };
  }
}

function toMap(entries: readonly TargetEntry[]): Map<string, TargetEntry> {
  return new Map(entries.map((entry) => [entry.run.accountId, entry]));
}

/** Whether a stored value has a known format. One with an unknown format counts as lost. */
function isReadable(key: string, stored: unknown, schema: z.ZodType): boolean {
  const { success, error } = schema.safeParse(stored);
  if (!success) {
    const paths = error?.issues.map(({ path }) => path.join("."));
    log("error", "publish.journal_unreadable", { key, paths: paths?.join(", ") ?? "" });
  }
  return success;
}

/** Restores the whole history of a target: the journal leaves out old entries, which the target's row has. */
export function withStoredHistory(run: TargetRun, row: { readonly history: TargetRun["history"] }): TargetRun {
  const [first] = run.history;
  if (first === undefined || run.history.length < STORED_HISTORY) {
    return run;
  }
  const older = row.history.filter(({ at }) => at < first.at);
  return { ...run, history: [...older, ...run.history].slice(-MAX_HISTORY) };
}
