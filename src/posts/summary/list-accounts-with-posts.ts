import { connectedCountStatement } from "#accounts/index.ts";
import type { Context } from "#context.ts";
import { accountsWithPostsStatements, readAccountsWithPosts } from "./store-account-posts.ts";
import type { AccountOverview } from "./types.ts";

/** Lists the connected accounts of the active workspace with the number of posts that depend on each, in one round trip. */
export async function listAccountsWithPosts(ctx: Pick<Context, "actor" | "clock" | "db">): Promise<AccountOverview> {
  const { actor } = ctx;
  const db = ctx.db;
  const now = ctx.clock.now();
  const [accounts, posts, count] = await db.d1.batch([
    ...accountsWithPostsStatements(db, actor, now, { onlyInNeed: false }),
    connectedCountStatement(db, actor),
  ]);
  const connected = (count?.results[0] as { readonly connected: number } | undefined)?.connected ?? 0;
  return { accounts: readAccountsWithPosts(accounts, posts, now), connectedCount: connected };
}
