import type { Config } from "#config.ts";
import { type ApprovalReference, refuse, type RefusalDetail } from "#core/errors.ts";
import { refuseUsedToken } from "#confirming/token/used-token.ts";
import type { Approval } from "./types.ts";
import type { StoredApproval } from "./store-approvals.ts";

type Addresses = { readonly config: Pick<Config, "origin"> };

/** Adds the URL of the page on which a person decides to an approval. */
export function withUrl({ config }: Addresses, approval: StoredApproval): Approval {
  return { ...approval, url: approvalUrl(config, approval.id) };
}

function approvalUrl({ origin }: Pick<Config, "origin">, id: string): string {
  return `${origin}/approvals/${id}`;
}

/**
 * Refuses a confirm that waits for a person, or a decision that comes too late. The refusal contains the state of the
 * approval.
 */
export function refuseByState(
  { config }: Addresses,
  approval: Pick<StoredApproval, "id" | "state" | "expiresAt"> & {
    readonly note?: string | null;
    readonly postIds?: readonly string[] | null;
    readonly details?: readonly RefusalDetail[];
  },
): never {
  const { id, state, expiresAt, note = null } = approval;
  const reference: ApprovalReference = { id, url: approvalUrl(config, id), state, expiresAt, note };
  switch (state) {
    case "pending":
      return refuse({
        code: "approval_required",
        message: `nothing was written: a person must approve this first, signed in, at ${reference.url}`,
        approval: reference,
      });
    case "approved":
      return refuseUsedToken(approval.postIds ?? [], reference);
    case "declined":
      return refuse({
        code: "approval_declined",
        message: "a person declined this: nothing was written",
        approval: reference,
      });
    case "expired":
      return refuse({
        code: "approval_expired",
        message: "nobody approved this in time: nothing was written",
        approval: reference,
      });
    case "stale":
      return refuse({
        code: "approval_stale",
        message: "this could no longer be done when it was approved: nothing was written",
        details: approval.details ?? [],
        approval: reference,
      });
    case "withdrawn":
      return refuse({
        code: "approval_withdrawn",
        message: "the request for approval was withdrawn: nothing was written",
        approval: reference,
      });
  }
}

/** Refuses with the same words if an approval is missing and if it is another user's, so that a caller cannot tell. */
export function refuseApprovalNotFound(): never {
  refuse({ code: "not_found", message: "approval not found" });
}
