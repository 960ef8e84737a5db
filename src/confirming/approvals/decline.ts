import type { Context } from "#context.ts";
import { refuse } from "#core/errors.ts";
import { refuseApprovalNotFound, refuseByState } from "#confirming/requests/approval-reference.ts";
import { decideApproval, findApproval } from "#confirming/requests/store-approvals.ts";

export const MAX_NOTE_CHARACTERS = 500;

/** Declines an agent's request, so that nothing is written. The agent can read the person's note. */
export async function declineRequest(
  ctx: Pick<Context, "actor" | "clock" | "config" | "db">,
  input: { readonly id: string; readonly note: string },
): Promise<void> {
  const note = input.note.trim();
  if ([...note].length > MAX_NOTE_CHARACTERS) {
    refuse({
      code: "invalid_request",
      message: `the note has at most ${MAX_NOTE_CHARACTERS} characters`,
      param: "note",
    });
  }
  const of = { userId: ctx.actor.userId, workspaceId: null, id: input.id, now: ctx.clock.now() };
  if (await decideApproval(ctx.db, of, { state: "declined", note: note === "" ? null : note })) {
    return;
  }
  const found = await findApproval(ctx.db, of);
  return found ? refuseByState(ctx, found.approval) : refuseApprovalNotFound();
}
