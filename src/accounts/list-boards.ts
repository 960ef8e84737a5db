import { refuse } from "#core/errors.ts";
import { type Platform, PLATFORM_NAMES } from "#core/platform.ts";
import type { Context } from "#context.ts";
import type { Board, Fault } from "#platforms/contract.ts";
import { guarded } from "#platforms/oauth-token.ts";
import { accessFor } from "./account-access.ts";
import { markNeedsReconnect } from "./mark-needs-reconnect.ts";
import { reach } from "./platform-client.ts";
import { findAccount } from "./store.ts";

const RETRY_SECONDS = 30;

/** The boards an account can pin to, all pages of the platform's list. */
export async function listBoards(
  ctx: Omit<Context, "tokens" | "bucket" | "arm">,
  input: { readonly accountId: string; readonly platform: Platform },
): Promise<readonly Board[]> {
  const account = await findAccount(ctx.db, ctx.actor, input.accountId);
  const way = reach(ctx, input.platform);
  const boards = way?.adapter.boards;
  if (!account || account.platform !== input.platform || !way || !boards) {
    refuse({ code: "not_found", message: `${PLATFORM_NAMES[input.platform]} account not found` });
  }
  for (;;) {
    const access = (await accessFor(ctx, [account.id])).get(account.id);
    if (!access?.ok) {
      return refuseFault(access?.fault);
    }
    const answer = await guarded(async () => await boards(way.client, access.value));
    if (answer.ok) {
      return answer.value;
    }
    const { fault } = answer;
    const refused = { tokenVersion: access.value.tokenVersion, category: fault.category };
    // An access that was only old is tried again with the new one; a renewed one that is refused ends the loop.
    if (fault.kind !== "reconnect" || (await markNeedsReconnect(ctx, account.id, fault.message, refused))) {
      return refuseFault(fault);
    }
  }
}

/** The platform's trouble in the caller's words: log in again, or come back later. */
function refuseFault(fault: Fault | undefined): never {
  if (fault && (fault.kind === "temporary" || fault.kind === "rate_limited")) {
    const seconds = fault.retryAfterSeconds ?? RETRY_SECONDS;
    refuse({
      code: "rate_limited",
      message: `${fault.message} Try again in ${seconds} s.`,
      retryAfterSeconds: seconds,
    });
  }
  refuse({ code: "invalid_state", message: fault?.message ?? "This account needs a new login.", param: "account_id" });
}
