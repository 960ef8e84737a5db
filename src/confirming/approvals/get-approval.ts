import type { Context } from "#context.ts";
import type { Approval } from "#confirming/requests/types.ts";
import { refuseApprovalNotFound, withUrl } from "#confirming/requests/approval-reference.ts";
import { findApproval } from "#confirming/requests/store-approvals.ts";

/** Reads an approval of the user. It may belong to a workspace that is not active. */
export async function getApprovalOfUser(
  ctx: Pick<Context, "actor" | "clock" | "config" | "db">,
  { id }: { readonly id: string },
): Promise<Approval> {
  const found = await findApproval(ctx.db, {
    userId: ctx.actor.userId,
    id,
    now: ctx.clock.now(),
  });
  return found ? withUrl(ctx, found.approval) : refuseApprovalNotFound();
}

/** Reads an approval of the active workspace. */
export async function getApproval(
  ctx: Pick<Context, "actor" | "clock" | "config" | "db">,
  input: { readonly id: string },
): Promise<Approval> {
  const approval = await getApprovalOfUser(ctx, input);
  return approval.workspaceId === ctx.actor.workspaceId ? approval : refuseApprovalNotFound();
}
