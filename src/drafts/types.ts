import type { JsonObject } from "#core/json.ts";

/** A post that somebody is still working on; it has no status, and nothing of it is scheduled. */
export interface Draft {
  readonly id: string;
  readonly workspaceId: string;
  /** Counts the changes from 1. */
  readonly version: number;
  /** Members of a preview's body, as they were sent. */
  readonly content: JsonObject;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A draft in a list. */
export interface DraftSummary extends Omit<Draft, "content"> {
  /** The first 140 characters; null without a caption. */
  readonly caption: string | null;
}
