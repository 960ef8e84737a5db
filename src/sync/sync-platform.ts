import {
  endSyncs,
  claimDueConnections,
  type ConnectionRow,
  type ConnectionSync,
  releaseConnections,
  syncConnection,
} from "#accounts/index.ts";
import type { Services } from "#context.ts";
import { MINUTE } from "#core/clock.ts";
import type { Platform } from "#core/platform.ts";
import { pausePostsOfAccounts, resumePostsOfAccounts } from "#post-status/index.ts";
import type { RunBudget } from "./run-budget.ts";

/**
 * How many connections one platform may use. It is less than a run has, so that a silent platform cannot use all of
 * them.
 */
const CONNECTIONS_PER_PLATFORM = 4;
const LOGINS_PER_CLAIM = 24;
const WAIT_FOR_SERVER_MS = 5 * MINUTE;

export interface SyncedLogin {
  readonly platform: Platform;
  readonly sync: ConnectionSync;
}

/**
 * Syncs the due logins of a platform, the longest waiting first, until none is left or the budget is used up. The first
 * sync runs alone: a hanging platform then holds one connection for one timeout, and its other logins wait for the next
 * run. If each login has its own server, only the logins of the hanging server wait.
 */
export async function syncPlatform(
  services: Services,
  budget: RunBudget,
  platform: Platform,
  probe: ConnectionRow,
): Promise<readonly SyncedLogin[]> {
  const synced: SyncedLogin[] = [];
  const hanging = new Set<string>();
  const serverOf = services.adapterFor(platform)?.connect.serverOfLogin;
  const serverOfLogin = ({ externalId }: ConnectionRow) => serverOf?.(externalId) ?? "";
  const mayGoOn = () => budget.lasts() && (serverOf !== undefined || hanging.size === 0);

  async function syncClaimed(logins: readonly ConnectionRow[], connections: number): Promise<void> {
    const [skipped, unbegun]: [string[], string[]] = [[], []];
    const queue = logins.values();
    const hangingBefore = hanging.size;
    const worker = async (isLast: boolean) => {
      for (const login of queue) {
        if (hanging.has(serverOfLogin(login))) {
          skipped.push(login.id);
        } else if (mayGoOn()) {
          await syncLogin(login);
        } else {
          unbegun.push(login.id);
        }
        // After a first call without an answer, one connection is enough.
        if (!isLast && hanging.size > hangingBefore) {
          return;
        }
      }
    };
    await Promise.all(Array.from({ length: connections }, async (_, index) => await worker(index === 0)));
    const now = services.clock.now();
    await (unbegun.length > 0 && releaseConnections(services.db, unbegun, now));
    await (skipped.length > 0 && releaseConnections(services.db, skipped, now + WAIT_FOR_SERVER_MS));
  }

  async function syncLogin(login: ConnectionRow): Promise<void> {
    const sync = await budget.withConnection(async () => {
      const result = await syncConnection(services, login, { onlyDue: true });
      await pausePostsOfAccounts(services, result.blockedAccountIds);
      await resumePostsOfAccounts(services, result.reactivatedAccountIds);
      if (result.state === "ended") {
        await endSyncs(services.db, login.id);
      }
      return result;
    });
    synced.push({ platform, sync });
    if (sync.fault?.code === "internal_error") {
      budget.end();
    } else if (sync.fault?.code === "platform_unavailable" && sync.fault.httpStatus === null) {
      hanging.add(serverOfLogin(login));
    }
  }

  await syncClaimed([probe], 1);
  let connections = CONNECTIONS_PER_PLATFORM;
  while (mayGoOn()) {
    const hangingBefore = hanging.size;
    const logins = await claimDueConnections(services.db, {
      platform,
      now: services.clock.now(),
      limit: LOGINS_PER_CLAIM,
    });
    if (logins.length === 0) {
      break;
    }
    await syncClaimed(logins, connections);
    connections = hanging.size > hangingBefore ? 1 : CONNECTIONS_PER_PLATFORM;
  }
  return synced;
}
