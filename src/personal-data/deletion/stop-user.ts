import { revokeConnection } from "#accounts/index.ts";
import type { Services } from "#context.ts";
import { disconnectOnce, stopPosts } from "#post-status/index.ts";
import { selectConnected, selectLogins } from "./store-logins.ts";

const POSTS_PER_RUN = 4000;
const LOGINS_PER_RUN = 30;

/**
 * Cancels a user's scheduled posts and ends logins at platforms, a limited number of each. Returns whether nothing is
 * left. Safe to interrupt, to repeat and to run in parallel.
 */
export async function stopUser(
  services: Services,
  { userId, workspaceIds }: { readonly userId: string; readonly workspaceIds: readonly string[] },
): Promise<boolean> {
  // Cancel posts before logins end: otherwise each disconnect would pause the posts account by account.
  if ((await stopPosts(services, workspaceIds, POSTS_PER_RUN)) >= POSTS_PER_RUN) {
    return false;
  }
  const accounts = await selectConnected(services.db, userId, LOGINS_PER_RUN);
  for (const { id, workspaceId } of accounts) {
    await disconnectOnce({ ...services, actor: { userId, workspaceId } }, id);
  }
  const logins = await selectLogins(services.db, workspaceIds, LOGINS_PER_RUN);
  for (const login of logins) {
    await revokeConnection(services, login);
  }
  return accounts.length < LOGINS_PER_RUN && logins.length < LOGINS_PER_RUN;
}
