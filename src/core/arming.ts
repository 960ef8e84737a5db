import type { PostStatus } from "./status.ts";

/**
 * What the Durable Object of a post needs to set its alarm. The object ignores a hint whose `version` is older than that of the last hint.
 */
export interface ArmHint {
  readonly postId: string;
  readonly workspaceId: string;
  readonly version: number;
  readonly status: PostStatus;
  /** When the post is due next: its scheduled time, or the time of its next try. */
  readonly scheduledAt: number;
  /** How long before `scheduledAt` the object begins to prepare; 0 if there is nothing to prepare. */
  readonly prepareAheadMs: number;
}

export type ArmResult = "armed" | "running" | "ignored" | "disarmed";

/** What the Durable Object of a post knows about its post. */
export interface RunnerSummary {
  readonly version: number;
  /** The run id with which the object claims the post, or has claimed it. */
  readonly runId: string;
}

/** The methods of a post's Durable Object that other modules call. */
export interface PostPublisherApi {
  sync(hint: ArmHint): Promise<ArmResult>;
  /** Reads the post and sets the alarm again if the post is overdue. Does nothing while the database is held. */
  rearm(postId: string): Promise<void>;
  /** Null if the object stores nothing: the post has ended, was cancelled, or was never armed. */
  inspect(): Promise<RunnerSummary | null>;
}

/** The methods of a user's Durable Object. */
export interface KeptPlansApi {
  /** Keeps a previewed plan in memory only, for a confirm at a location that does not see the new key of KV yet. */
  keepPlan(key: string, plan: string): Promise<void>;
  /** An object that was restarted reads KV at its own location, which is near the first preview of the user. */
  keptPlan(key: string): Promise<string | null>;
}
