import { activeLoginsStatement, connectedCountStatement } from "#accounts/index.ts";
import type { Context } from "#context.ts";
import { batch } from "#db/batch.ts";
import { accountsWithPostsStatements, readAccountsWithPosts } from "./store-account-posts.ts";
import type { AccountOverview } from "./types.ts";

/** Lists the connected accounts of the active workspace with the number of posts that depend on each, in one round trip. */
export async function listAccountsWithPosts(ctx: Pick<Context, "actor" | "clock" | "db">): Promise<AccountOverview> {
  const { actor, db } = ctx;
  const now = ctx.clock.now();
  const { count, logins, ...accounts } = await batch(db, {
    ...accountsWithPostsStatements(db, actor, now, { onlyInNeed: false }),
    count: connectedCountStatement(db, actor),
    logins: activeLoginsStatement(db, actor),
  });
  return {
    accounts: readAccountsWithPosts(accounts, now),
    connectedCount: count.results[0]?.connected ?? 0,
    logins: logins.results,
  };
}
