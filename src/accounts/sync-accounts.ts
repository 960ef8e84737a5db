import type { Context } from "#context.ts";
import { inParallel } from "./map-in-parallel.ts";
import { listAccounts } from "./list-accounts.ts";
import { selectConnections } from "./store-connections.ts";
import { type ConnectionSync, syncConnection } from "./sync-connection.ts";
import type { PostingNews, SyncResult } from "./types.ts";

/** Asks every login of the workspace what it can post to now; one platform that does not answer does not stop the others. */
export async function syncAccounts(ctx: Omit<Context, "tokens" | "bucket" | "arm">): Promise<SyncResult & PostingNews> {
  const connections = await selectConnections(ctx.db, ctx.actor);
  const syncs = await inParallel(
    connections,
    async (connection) => await syncConnection(ctx, connection, { plan: ctx.actor.plan }),
  );
  const accounts = await listAccounts(ctx);
  const all = <K extends "added" | "updated" | "skipped" | "readmittedAccountIds" | "blockedAccountIds">(key: K) =>
    syncs.flatMap((sync): ConnectionSync[K][number][] => [...sync[key]]);
  return {
    accounts,
    added: all("added"),
    updated: all("updated"),
    needsReconnect: accounts.filter((account) => account.status === "needs_reconnect").map((account) => account.id),
    skipped: all("skipped"),
    readmittedAccountIds: all("readmittedAccountIds"),
    blockedAccountIds: all("blockedAccountIds"),
  };
}
