import type { Context } from "#context.ts";
import type { Approval } from "#posting/types.ts";
import { refuseApprovalNotFound, withUrl } from "./approval-reference.ts";
import { findApproval } from "./store-approvals.ts";

/** One approval of the active workspace. */
export async function getApproval(
  ctx: Pick<Context, "actor" | "clock" | "config" | "db">,
  { id }: { readonly id: string },
): Promise<Approval> {
  const found = await findApproval(ctx.db, { userId: ctx.actor.userId, id, now: ctx.clock.now() });
  return found?.approval.workspaceId === ctx.actor.workspaceId
    ? withUrl(ctx, found.approval)
    : refuseApprovalNotFound();
}
