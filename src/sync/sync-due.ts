import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import { type ConnectionSync, dueConnections, inParallel, syncConnection } from "#accounts/index.ts";
import { pauseForAccounts, readmitAccounts } from "#posting/index.ts";

const MAX_PER_RUN = 20;

/** Looks at the logins whose time has come; their posts hear of what changed. */
export async function syncDue(services: Services): Promise<void> {
  const started = services.clock.now();
  const due = await dueConnections(services.db, started, MAX_PER_RUN);
  if (due.length === 0) {
    return;
  }
  const syncs = await inParallel(
    due,
    async (connection) => await syncConnection(services, connection, { onlyDue: true }),
  );
  await tellPosts(services, syncs);
  log("info", "account_sync", {
    due: due.length,
    listed: count(syncs, "listed"),
    renewed: count(syncs, "renewed"),
    ended: count(syncs, "ended"),
    failed: count(syncs, "failed"),
    added: total(syncs, "added"),
    updated: total(syncs, "updated"),
    skipped: total(syncs, "skipped"),
    blocked: total(syncs, "blockedAccountIds"),
    readmitted: total(syncs, "readmittedAccountIds"),
    ms: services.clock.now() - started,
  });
}

async function tellPosts(services: Services, syncs: readonly ConnectionSync[]): Promise<void> {
  await pauseForAccounts(
    services,
    syncs.flatMap((sync) => sync.blockedAccountIds),
  );
  await readmitAccounts(
    services,
    syncs.flatMap((sync) => sync.readmittedAccountIds),
  );
}

function count(syncs: readonly ConnectionSync[], state: ConnectionSync["state"]): number {
  return syncs.filter((sync) => sync.state === state).length;
}

function total(
  syncs: readonly ConnectionSync[],
  key: "added" | "updated" | "skipped" | "blockedAccountIds" | "readmittedAccountIds",
): number {
  return syncs.reduce((sum, sync) => sum + sync[key].length, 0);
}
