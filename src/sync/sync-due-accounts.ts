import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import { type ConnectionSync, dueConnections, mapInParallel, syncConnection } from "#accounts/index.ts";
import { countSyncs } from "#metrics/index.ts";
import { pausePostsOfAccounts, resumePostsOfAccounts } from "#post-status/index.ts";

const MAX_PER_RUN = 20;

/** Syncs the logins that are due, then pauses or resumes the posts of the accounts that changed. */
export async function syncDueAccounts(services: Services): Promise<void> {
  const started = services.clock.now();
  const due = await dueConnections(services.db, started, MAX_PER_RUN);
  if (due.length === 0) {
    return;
  }
  const syncs = await mapInParallel(
    due,
    async (connection) => await syncConnection(services, connection, { onlyDue: true }),
  );
  await updatePosts(services, syncs);
  await countSyncs(
    services,
    due.flatMap(({ platform }, index) => {
      const sync = syncs[index];
      return sync === undefined ? [] : [{ platform, state: sync.state }];
    }),
  );
  log("info", "account_sync", {
    due: due.length,
    listed: count(syncs, "listed"),
    refreshed: count(syncs, "refreshed"),
    ended: count(syncs, "ended"),
    failed: count(syncs, "failed"),
    added: total(syncs, "added"),
    updated: total(syncs, "updated"),
    skipped: total(syncs, "skipped"),
    blocked: total(syncs, "blockedAccountIds"),
    reactivated: total(syncs, "reactivatedAccountIds"),
    ms: services.clock.now() - started,
  });
}

async function updatePosts(services: Services, syncs: readonly ConnectionSync[]): Promise<void> {
  await pausePostsOfAccounts(
    services,
    syncs.flatMap((sync) => sync.blockedAccountIds),
  );
  await resumePostsOfAccounts(
    services,
    syncs.flatMap((sync) => sync.reactivatedAccountIds),
  );
}

function count(syncs: readonly ConnectionSync[], state: ConnectionSync["state"]): number {
  return syncs.filter((sync) => sync.state === state).length;
}

function total(
  syncs: readonly ConnectionSync[],
  key: "added" | "updated" | "skipped" | "blockedAccountIds" | "reactivatedAccountIds",
): number {
  return syncs.reduce((sum, sync) => sum + sync[key].length, 0);
}
