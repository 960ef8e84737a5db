import { z } from "zod";
import type { ArmHint } from "#core/arming.ts";
import { log } from "#core/log.ts";
import { TARGET_STATES } from "#core/status.ts";
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

/**
 * The format of what is stored; objects outlive deployments. A change of the types above needs a new number, and a schema that still
 * reads the older one: what cannot be read counts as lost, and its targets are looked for before anything is sent.
 */
const FORMAT = 1;
/** Entries from before the number was stored have the first format. */
const Format = z.literal(FORMAT).default(FORMAT);
const StoredHint = z.object({
  postId: z.string(),
  version: z.number(),
  status: z.string(),
  scheduledAt: z.number(),
  prepareAheadMs: z.number(),
});
const StoredState = StoredHint.omit({ status: true }).extend({
  format: Format,
  phase: z.enum(["armed", "claiming", "running"]),
  runId: z.string().nullable(),
  watchAt: z.number(),
  next: StoredHint.nullable(),
});
const StoredEntry = z.object({
  format: Format,
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
    history: z.array(z.looseObject({ at: z.number() })),
  }),
});

const STATE_KEY = "state";
const TARGET_PREFIX = "t:";

/** Every key that the object stores: `state`, and one `t:{account id}` per target. Deleted when the post has ended. */
export class Journal {
  constructor(private readonly storage: JournalStorage) {}

  state(): RunnerState | undefined {
    return this.read<RunnerState>(STATE_KEY, this.storage.kv.get(STATE_KEY), StoredState);
  }

  entries(): Map<string, TargetEntry> {
    return new Map(
      [...this.storage.kv.list({ prefix: TARGET_PREFIX })].flatMap(([key, stored]) => {
        const entry = this.read<TargetEntry>(key, stored, StoredEntry);
        return entry ? [[key.slice(TARGET_PREFIX.length), entry] as const] : [];
      }),
    );
  }

  /** What is stored, as it is, if it has the known format; undefined, as if it were lost, otherwise. */
  private read<Stored>(key: string, stored: unknown, schema: z.ZodType): Stored | undefined {
    if (stored === undefined) {
      return undefined;
    }
    const { success, error } = schema.safeParse(stored);
    if (!success) {
      const paths = error?.issues.map(({ path }) => path.join("."));
      log("error", "publish.journal_unreadable", { key, paths: paths?.join(", ") ?? "" });
      return undefined;
    }
    return stored as Stored;
  }

  putState(state: RunnerState): void {
    this.storage.kv.put(STATE_KEY, { ...state, format: FORMAT });
  }

  putEntry(entry: TargetEntry): void {
    this.storage.kv.put(`${TARGET_PREFIX}${entry.run.accountId}`, { ...entry, format: FORMAT });
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
    for (const [key] of Array.from(this.storage.kv.list({ prefix: TARGET_PREFIX }))) {
      if (!keepAccountIds.has(key.slice(TARGET_PREFIX.length))) {
        this.storage.kv.delete(key);
      }
    }
  }
}
