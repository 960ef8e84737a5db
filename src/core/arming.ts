import type { PostStatus } from "./status.ts";

/** What the object of a post must know to be awake in time; `version` orders hints, an older one is ignored. */
export interface ArmHint {
  readonly postId: string;
  readonly version: number;
  readonly status: PostStatus;
  readonly scheduledAt: number;
  /** How long before `scheduledAt` preparation should begin; 0 for none. */
  readonly prepareAheadMs: number;
}

export type ArmAnswer = "armed" | "running" | "ignored" | "disarmed";

/** The Durable Object of a post as the rest of the house sees it. */
export interface PostPublisherApi {
  sync(hint: ArmHint): Promise<ArmAnswer>;
}
