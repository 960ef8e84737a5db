import type { Context } from "#context.ts";
import type { Approval } from "#confirming/requests/types.ts";
import { refuseApprovalNotFound, withUrl } from "#confirming/requests/approval-reference.ts";
import { findApproval } from "#confirming/requests/store-approvals.ts";

type ReadContext = Pick<Context, "actor" | "clock" | "config" | "db">;

/** Reads an approval of any workspace, for the person who decides. */
export function getApprovalOfUser(ctx: ReadContext, { id }: { readonly id: string }): Promise<Approval> {
  return approvalIn(ctx, null, id);
}

/** Reads an approval of the call's workspace. */
export function getApproval(ctx: ReadContext, { id }: { readonly id: string }): Promise<Approval> {
  return approvalIn(ctx, ctx.actor.workspaceId, id);
}

async function approvalIn(ctx: ReadContext, workspaceId: string | null, id: string): Promise<Approval> {
  const found = await findApproval(ctx.db, { userId: ctx.actor.userId, workspaceId, id, now: ctx.clock.now() });
  return found ? withUrl(ctx, found.approval) : refuseApprovalNotFound();
}
