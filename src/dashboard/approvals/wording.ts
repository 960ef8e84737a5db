import type { Author } from "#core/actor.ts";
import type { ApprovalState, CreatedVia } from "#core/status.ts";
import type { Approval } from "#confirming/index.ts";

export const STATE_LABELS = {
  pending: "Waiting for you",
  approved: "Approved",
  declined: "Declined",
  expired: "Expired",
  stale: "No longer possible",
  withdrawn: "Withdrawn",
} as const satisfies Record<ApprovalState, string>;

/** The outcome of a request as a sentence for people. */
export const STATE_SENTENCES = {
  approved: "You approved this, and it was done exactly as shown.",
  declined: "You declined this. Nothing was written.",
  expired: "Nobody decided in time. Nothing was written; the agent can ask again.",
  stale: "When this was approved, it could no longer be done. Nothing was written; the agent can ask again.",
  withdrawn: "This request was taken back, or the access of the one who asked was revoked. Nothing was written.",
} as const satisfies Record<Exclude<ApprovalState, "pending">, string>;

const VIA_WORDS = {
  api: "through the API",
  mcp: "as an AI agent (MCP)",
  dashboard: "in the dashboard",
} as const satisfies Record<CreatedVia, string>;

/** Names who requested the approval, such as `the API key “Studio assistant”`. */
export function requesterInWords({ kind, name }: Author): string {
  return `${kind === "key" ? "The API key" : "The app"} “${name}”`;
}

export function requestInWords({ kind, posts, via }: Approval): string {
  const what =
    kind === "edit"
      ? posts.length === 1
        ? "to change a post"
        : `to change ${posts.length} posts`
      : posts.length === 1
        ? "to schedule a post"
        : `to schedule ${posts.length} posts`;
  return `asks, ${VIA_WORDS[via]}, ${what}.`;
}

export function titleOf({ kind, posts }: Approval): string {
  return kind === "edit"
    ? posts.length === 1
      ? "Approve a change"
      : "Approve changes"
    : posts.length === 1
      ? "Approve a new post"
      : "Approve new posts";
}
