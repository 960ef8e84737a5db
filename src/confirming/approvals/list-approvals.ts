import type { Context } from "#context.ts";
import type { ApprovalState } from "#core/status.ts";
import type { Approval } from "#confirming/requests/types.ts";
import { withUrl } from "#confirming/requests/approval-reference.ts";
import { selectApprovals } from "#confirming/requests/store-approvals.ts";

interface ApprovalListInput {
  readonly limit: number;
  readonly offset: number;
  readonly state?: ApprovalState | undefined;
}

interface ApprovalList {
  readonly approvals: readonly Approval[];
  readonly hasMore: boolean;
}

/** Lists the approvals of the active workspace: pending ones first, then those decided in the last 30 days. */
export function listApprovals(
  ctx: Pick<Context, "actor" | "clock" | "config" | "db">,
  input: ApprovalListInput,
): Promise<ApprovalList> {
  return selectPage(ctx, ctx.actor.workspaceId, input);
}

/** Lists the user's approvals of all workspaces, for the page on which the user decides. */
export function listApprovalsOfUser(
  ctx: Pick<Context, "actor" | "clock" | "config" | "db">,
  input: ApprovalListInput,
): Promise<ApprovalList> {
  return selectPage(ctx, null, input);
}

async function selectPage(
  ctx: Pick<Context, "actor" | "clock" | "config" | "db">,
  workspaceId: string | null,
  { limit, offset, state }: ApprovalListInput,
): Promise<ApprovalList> {
  const { approvals, hasMore } = await selectApprovals(ctx.db, {
    userId: ctx.actor.userId,
    workspaceId,
    state: state ?? null,
    now: ctx.clock.now(),
    limit,
    offset,
  });
  return { approvals: approvals.map((row) => withUrl(ctx, row)), hasMore };
}
