import type { Context, Services } from "#context.ts";
import { refuseApprovalNotFound, refuseByState, withUrl } from "#confirming/requests/approval-reference.ts";
import { decideApproval, findApproval, withdrawOfRevoked } from "#confirming/requests/store-approvals.ts";
import type { Approval } from "#confirming/requests/types.ts";

/** Withdraws an undecided request of the call's workspace, so that nobody can approve it. */
export async function withdrawRequest(
  ctx: Pick<Context, "actor" | "clock" | "config" | "db">,
  { id }: { readonly id: string },
): Promise<Approval> {
  const { userId, workspaceId } = ctx.actor;
  const of = { userId, workspaceId, id, now: ctx.clock.now() };
  const withdrawn = await decideApproval(ctx.db, of, { state: "withdrawn" });
  const found = await findApproval(ctx.db, of);
  if (found === null) {
    return refuseApprovalNotFound();
  }
  return withdrawn ? withUrl(ctx, found.approval) : refuseByState(ctx, found.approval);
}

/**
 * Marks the requests of a user's revoked keys and apps as withdrawn. This only updates lists: a request is pending only
 * while its credential works.
 */
export async function withdrawRequestsOfRevoked(
  services: Pick<Services, "clock" | "db">,
  { userId }: { readonly userId: string },
): Promise<void> {
  await withdrawOfRevoked(services.db, userId, services.clock.now());
}
