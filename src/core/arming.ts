import type { PostStatus } from "./status.ts";

/**
 * What the Durable Object of a post needs to set its alarm. It ignores a hint with an older `version` than the last
 * one.
 */
export interface ArmHint {
  readonly postId: string;
  readonly workspaceId: string;
  readonly version: number;
  readonly status: PostStatus;
  /** When (ms) the post is due: its scheduled time, or the time of its next try. */
  readonly scheduledAt: number;
  /** How long (ms) before `scheduledAt` the preparation begins. 0 if there is nothing to prepare. */
  readonly prepareAheadMs: number;
}

export type ArmResult = "armed" | "running" | "ignored" | "disarmed";

/** What the Durable Object of a post knows about its post. */
export interface RunnerSummary {
  readonly version: number;
  /** The run id with which the Durable Object claims its post, or has claimed it. */
  readonly runId: string;
}

/** The methods of a post's Durable Object that other modules call. */
export interface PostPublisherApi {
  sync(hint: ArmHint): Promise<ArmResult>;
  /** Reads the post and sets the alarm again if the post is overdue. Does nothing while the database is held. */
  rearm(postId: string): Promise<void>;
  /** What the object stores. Null if the post has ended, was cancelled, or was never armed. */
  inspect(): Promise<RunnerSummary | null>;
}

/** The methods of a user's Durable Object, which keeps the plans of recent previews. */
export interface KeptPlansApi {
  /** Keeps a previewed plan in memory only, for a confirm in a location that does not see the new KV key yet. */
  keepPlan(key: string, plan: string): Promise<void>;
  /**
   * Returns a kept plan. After a restart it reads KV in the object's own location, which is near the user's first
   * preview.
   */
  keptPlan(key: string): Promise<string | null>;
}
