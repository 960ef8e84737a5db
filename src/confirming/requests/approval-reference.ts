import type { Config } from "#config.ts";
import { type ApprovalReference, refuse, type RefusalDetail } from "#core/errors.ts";
import { refuseUsedToken } from "#confirming/token/used-token.ts";
import type { Approval } from "./types.ts";
import type { StoredApproval } from "./store-approvals.ts";

type Addresses = { readonly config: Pick<Config, "origin"> };

/** Adds the address of its page to an approval. */
export function withUrl({ config }: Addresses, approval: StoredApproval): Approval {
  return { ...approval, url: approvalUrl(config, approval.id) };
}

function approvalUrl({ origin }: Pick<Config, "origin">, id: string): string {
  return `${origin}/approvals/${id}`;
}

/** Refuses a confirm, or a decision that comes too late, with the state of the approval. */
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

/** A missing approval and another user's approval get the same refusal, so that the caller cannot distinguish them. */
export function refuseApprovalNotFound(): never {
  refuse({ code: "not_found", message: "approval not found" });
}
