import { claimFirstDueConnections, type ConnectionSync } from "#accounts/index.ts";
import type { Services } from "#context.ts";
import { log } from "#core/log.ts";
import { countSyncs } from "#metrics/index.ts";
import type { RunBudget } from "./run-budget.ts";
import { type SyncedLogin, syncPlatform } from "./sync-platform.ts";

/**
 * Syncs the logins that are due, and pauses or resumes the posts of changed accounts. A slow platform does not delay
 * the others.
 */
export async function syncDueAccounts(services: Services, budget: RunBudget): Promise<void> {
  const started = services.clock.now();
  const firsts = await claimFirstDueConnections(services.db, started);
  if (firsts.length === 0) {
    return;
  }
  const platforms = await Promise.allSettled(
    firsts.map(async (first) => await syncPlatform(services, budget, first.platform, first)),
  );
  const synced = platforms.flatMap((platform) => (platform.status === "fulfilled" ? platform.value : []));
  await countSyncs(
    services,
    synced.map(({ platform, sync: { state } }) => ({ platform, state })),
  );
  log("info", "account_sync", {
    due: synced.length,
    listed: count(synced, "listed"),
    refreshed: count(synced, "refreshed"),
    ended: count(synced, "ended"),
    failed: count(synced, "failed"),
    added: total(synced, "added"),
    updated: total(synced, "updated"),
    skipped: total(synced, "skipped"),
    blocked: total(synced, "blockedAccountIds"),
    reactivated: total(synced, "reactivatedAccountIds"),
    ms: services.clock.now() - started,
  });
  const failure = platforms.find((platform) => platform.status === "rejected");
  if (failure) {
    throw failure.reason;
  }
}

function count(synced: readonly SyncedLogin[], state: ConnectionSync["state"]): number {
  return synced.filter(({ sync }) => sync.state === state).length;
}

function total(
  synced: readonly SyncedLogin[],
  key: "added" | "updated" | "skipped" | "blockedAccountIds" | "reactivatedAccountIds",
): number {
  return synced.reduce((sum, { sync }) => sum + sync[key].length, 0);
}
