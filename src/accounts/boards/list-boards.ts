import { refuse } from "#core/errors.ts";
import { type Platform, PLATFORM_NAMES } from "#core/platform.ts";
import type { Context } from "#context.ts";
import type { Board, Fault } from "#platforms/contract.ts";
import { catchConnectionErrors } from "#platforms/oauth-token.ts";
import { getAccountAccess } from "#accounts/tokens/get-account-access.ts";
import { markNeedsReconnect } from "#accounts/tokens/mark-account-needs-reconnect.ts";
import { clientForLogin, configuredPlatform } from "#accounts/configured-platform.ts";
import { findAccount } from "#accounts/store-accounts.ts";

const DEFAULT_RETRY_SECONDS = 30;

export async function listBoards(
  ctx: Omit<Context, "tokens" | "bucket" | "arm">,
  input: { readonly accountId: string; readonly platform: Platform },
): Promise<readonly Board[]> {
  const account = await findAccount(ctx.db, ctx.actor, input.accountId);
  const configured = configuredPlatform(ctx, input.platform);
  const boards = configured?.adapter.listBoards;
  if (!account || account.platform !== input.platform || !configured || !boards) {
    refuse({ code: "not_found", message: `${PLATFORM_NAMES[input.platform]} account not found` });
  }
  for (;;) {
    const access = (await getAccountAccess(ctx, [account.id])).get(account.id);
    if (!access?.ok) {
      return refuseFault(access?.fault);
    }
    const boardsResult = await catchConnectionErrors(
      async () => await boards(clientForLogin(ctx, configured.adapter, access.value), access.value),
    );
    if (boardsResult.ok) {
      return boardsResult.value;
    }
    const { fault } = boardsResult;
    const refused = { tokenVersion: access.value.tokenVersion, category: fault.category };
    // If the stored token was only outdated, the next round uses a fresh one. If the platform also refuses the fresh
    // token, the loop ends.
    if (fault.kind !== "reconnect" || (await markNeedsReconnect(ctx, account.id, fault.message, refused))) {
      return refuseFault(fault);
    }
  }
}

/** Refuses the API call with the next step for the caller: log in again, or retry later. */
function refuseFault(fault: Fault | undefined): never {
  if (fault && (fault.kind === "temporary" || fault.kind === "rate_limited")) {
    const seconds = fault.retryAfterSeconds ?? DEFAULT_RETRY_SECONDS;
    refuse({
      code: "rate_limited",
      message: `${fault.message} Try again in ${seconds} s.`,
      retryAfterSeconds: seconds,
    });
  }
  refuse({ code: "invalid_state", message: fault?.message ?? "This account needs a new login.", param: "account_id" });
}
