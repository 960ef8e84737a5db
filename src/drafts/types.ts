import type { JsonObject } from "#core/json.ts";

/** A post that a user is still writing. It has no status, and the service does not schedule it. */
export interface Draft {
  readonly id: string;
  readonly workspaceId: string;
  /** Begins at 1 and rises with every change, so that an update can name the version it is based on. */
  readonly version: number;
  /** The members of a preview's body, exactly as the client sent them. */
  readonly content: JsonObject;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface DraftSummary extends Omit<Draft, "content"> {
  /** The first 140 characters of the caption; null if there is no caption. */
  readonly caption: string | null;
  /** The time exactly as the client sent it, and its zone; null where the draft has no text there. */
  readonly scheduledAt: string | null;
  readonly timeZone: string | null;
}
