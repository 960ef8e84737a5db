import type { Context } from "#context.ts";
import { refuseUnknownWorkspace } from "./refuse-unknown-workspace.ts";
import { updateApprovalReauthentication } from "./store.ts";

/** Whether the user must identify again before approving what an agent asks for in this workspace. */
export async function setApprovalReauthentication(
  ctx: Pick<Context, "actor" | "db">,
  input: { readonly workspaceId: string; readonly isRequired: boolean },
): Promise<void> {
  if (!(await updateApprovalReauthentication(ctx.db, ctx.actor, input.workspaceId, input.isRequired))) {
    refuseUnknownWorkspace();
  }
}
