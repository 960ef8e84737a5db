import type { Context } from "#context.ts";
import { refuseUnknownWorkspace } from "./refuse-unknown-workspace.ts";
import { updateApprovalReauthentication } from "./store.ts";

/** Sets whether the user must enter the password or use a passkey again before approving a request of an agent in this workspace. */
export async function setApprovalReauthentication(
  ctx: Pick<Context, "actor" | "db">,
  input: { readonly workspaceId: string; readonly isRequired: boolean },
): Promise<void> {
  if (!(await updateApprovalReauthentication(ctx.db, ctx.actor, input.workspaceId, input.isRequired))) {
    refuseUnknownWorkspace();
  }
}
