import type { PostStatus } from "./status.ts";

/** What the Durable Object of a post needs to set its alarm; a hint with an older `version` than the last one is ignored. */
export interface ArmHint {
  readonly postId: string;
  readonly version: number;
  readonly status: PostStatus;
  readonly scheduledAt: number;
  /** How long before `scheduledAt` preparation should begin; 0 for none. */
  readonly prepareAheadMs: number;
}

export type ArmResult = "armed" | "running" | "ignored" | "disarmed";

/** The Durable Object of a post as other modules call it. */
export interface PostPublisherApi {
  sync(hint: ArmHint): Promise<ArmResult>;
}
