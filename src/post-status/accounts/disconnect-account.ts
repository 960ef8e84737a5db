import { disconnectStatement, revokeConnection } from "#accounts/index.ts";
import { batch } from "#db/batch.ts";
import type { Services } from "#context.ts";
import type { Actor } from "#core/actor.ts";
import { refuse, RefusalError } from "#core/errors.ts";
import type { Platform } from "#core/platform.ts";
import { armPosts, disarmPosts } from "#arming/arm-posts.ts";
import { skipTargetsStatements } from "./store-account-changes.ts";
import { armableFromRow } from "#arming/to-armable-post.ts";

/** Disconnects an account. Account, targets and posts change in one transaction; then the login is revoked. */
export async function disconnectAccount(
  ctx: Services & { readonly actor: Pick<Actor, "userId" | "workspaceId"> },
  input: { readonly accountId: string },
): Promise<{ readonly id: string; readonly platform: Platform; readonly pausedPostIds: readonly string[] }> {
  const { actor } = ctx;
  const db = ctx.db;
  const now = ctx.clock.now();
  const { account, changed, paused, stopped } = await batch(db, {
    account: disconnectStatement(db, actor, input.accountId, now),
    ...skipTargetsStatements(db, actor, input.accountId, now),
  });
  const [disconnected] = account.results;
  if (!disconnected) {
    refuse({ code: "not_found", message: "account not found" });
  }
  const pausedPosts = paused.results.map(armableFromRow);
  const pausedPostIds = pausedPosts.map(({ id }) => id);
  const endedPosts = [...pausedPosts, ...stopped.results.map(armableFromRow)];
  const stillScheduled = changed.results
    .map(armableFromRow)
    .filter(({ id, status }) => status === "scheduled" && endedPosts.every((post) => post.id !== id));
  await revokeConnection(ctx, { id: disconnected.connectionId, platform: disconnected.platform });
  disarmPosts(ctx, endedPosts);
  ctx.defer(armPosts(ctx, stillScheduled));
  return { id: disconnected.id, platform: disconnected.platform, pausedPostIds };
}

/**
 * Disconnects an account unless it is already disconnected, because a parallel job or the user may have been faster.
 */
export async function disconnectOnce(ctx: Parameters<typeof disconnectAccount>[0], accountId: string): Promise<void> {
  try {
    await disconnectAccount(ctx, { accountId });
  } catch (error) {
    if (!(error instanceof RefusalError && error.refusal.code === "not_found")) {
      throw error;
    }
  }
}
