import type { Platform } from "#core/platform.ts";
import type { Context } from "#context.ts";
import { selectAccounts, toAccount } from "./store-accounts.ts";
import type { Account } from "./types.ts";

/** The connected accounts of the active workspace, in the order in which they were connected. */
export async function listAccounts(
  ctx: Pick<Context, "actor" | "db" | "clock">,
  input: { readonly platform?: Platform | undefined } = {},
): Promise<readonly Account[]> {
  const rows = await selectAccounts(ctx.db, ctx.actor, input.platform ?? null);
  return rows.map((row) => toAccount(row, ctx.clock.now()));
}
