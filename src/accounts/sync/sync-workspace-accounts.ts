import type { Context } from "#context.ts";
import { mapInParallel } from "#accounts/map-in-parallel.ts";
import { listAccounts } from "#accounts/list-accounts.ts";
import { selectConnections } from "#accounts/store-connections.ts";
import { type ConnectionSync, syncConnection } from "./sync-connection.ts";
import type { AvailabilityChanges, SyncResult } from "#accounts/types.ts";

/**
 * Lists the accounts of every login of the workspace again. A platform that does not respond does not stop the other
 * logins.
 */
export async function syncAccounts(
  ctx: Omit<Context, "tokens" | "bucket" | "arm">,
): Promise<SyncResult & AvailabilityChanges> {
  const connections = await selectConnections(ctx.db, ctx.actor);
  const syncs = await mapInParallel(
    connections,
    async (connection) => await syncConnection(ctx, connection, { accountLimit: ctx.actor.limits.accounts }),
  );
  const accounts = await listAccounts(ctx);
  const collect = <K extends "added" | "updated" | "skipped" | "reactivatedAccountIds" | "blockedAccountIds">(key: K) =>
    syncs.flatMap((sync): ConnectionSync[K][number][] => [...sync[key]]);
  return {
    accounts,
    added: collect("added"),
    updated: collect("updated"),
    needsReconnect: accounts.filter((account) => account.status === "needs_reconnect").map((account) => account.id),
    skipped: collect("skipped"),
    reactivatedAccountIds: collect("reactivatedAccountIds"),
    blockedAccountIds: collect("blockedAccountIds"),
  };
}
