import { disconnectStatements, readDisconnected, revokeConnection } from "#accounts/index.ts";
import type { Context } from "#context.ts";
import { refuse } from "#core/errors.ts";
import type { Platform } from "#core/platform.ts";
import { armPosts, disarmPosts } from "#posting/arming/arm-posts.ts";
import { dropStatements, type MovedRow } from "./store-account-changes.ts";
import { toArmable } from "#posting/arming/armable-post.ts";

/** Takes an account out of service: account, targets and posts change in one transaction, the login ends after it. */
export async function disconnectAccount(
  ctx: Context,
  input: { readonly accountId: string },
): Promise<{ readonly id: string; readonly platform: Platform; readonly pausedPostIds: readonly string[] }> {
  const { db, actor } = ctx;
  const now = ctx.clock.now();
  const [account, changed, paused] = await db.d1.batch<MovedRow>([
    ...disconnectStatements(db, actor, input.accountId, now),
    ...dropStatements(db, actor, input.accountId, now),
  ]);
  const disconnected = readDisconnected(account);
  if (!disconnected) {
    refuse({ code: "not_found", message: "account not found" });
  }
  const pausedPosts = (paused?.results ?? []).map(toArmable);
  const pausedPostIds = pausedPosts.map(({ id }) => id);
  const goingOn = (changed?.results ?? [])
    .map(toArmable)
    .filter(({ id, status }) => status === "scheduled" && !pausedPostIds.includes(id));
  await revokeConnection(ctx, disconnected.connectionId);
  disarmPosts(ctx, pausedPosts);
  ctx.defer(armPosts(ctx, goingOn));
  return { id: disconnected.id, platform: disconnected.platform, pausedPostIds };
}
