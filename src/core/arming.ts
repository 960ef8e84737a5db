import type { PostStatus } from "./status.ts";

/** What the Durable Object of a post needs to set its alarm. It ignores a hint with an older `version` than the last one. */
export interface ArmHint {
  readonly postId: string;
  /** Absent in a hint of a version that did not name it; such a post is in the first database. */
  readonly workspaceId?: string | undefined;
  readonly version: number;
  readonly status: PostStatus;
  /** When the post is due next: at its scheduled time, or at its next try. */
  readonly scheduledAt: number;
  /** How long before `scheduledAt` preparation should begin; 0 for none. */
  readonly prepareAheadMs: number;
}

export type ArmResult = "armed" | "running" | "ignored" | "disarmed";

/** What the Durable Object of a post knows about it. */
export interface RunnerSummary {
  readonly version: number;
  /** The id under which it claims or has claimed the post. */
  readonly runId: string;
}

/** The Durable Object of a post as other modules call it. */
export interface PostPublisherApi {
  sync(hint: ArmHint): Promise<ArmResult>;
  /** Reads the post and arms it again if it is overdue; nothing while publishing is held. */
  rearm(postId: string): Promise<void>;
  /** Null if the object knows nothing: the post has ended, was cancelled, or was never armed. */
  inspect(): Promise<RunnerSummary | null>;
}
