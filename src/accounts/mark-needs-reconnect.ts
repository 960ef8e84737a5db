import { reach } from "./platform-client.ts";
import { type RefreshServices, renewRefused } from "./refresh-tokens.ts";
import { blockAccount } from "./store.ts";
import { selectForAccess } from "./store-connections.ts";
import { openTokens } from "./seal-tokens.ts";
import type { RefusedAccess } from "./types.ts";

const MAX_REASON = 300;

/**
 * A platform refused an account with a fault of kind `reconnect`. True: the account now waits for the person. False: the
 * refused token has been replaced meanwhile, or was made to be renewed first (many platforms end tokens early), so the
 * caller should try once more as after a temporary fault. Without `refused` the account is marked in any case.
 */
export async function markNeedsReconnect(
  services: RefreshServices,
  accountId: string,
  reason: string,
  refused?: RefusedAccess,
): Promise<boolean> {
  const now = services.clock.now();
  if (refused && refused.category !== "permission" && (await canTryAgain(services, accountId, refused))) {
    return false;
  }
  const marked = await blockAccount(services.db, {
    accountId,
    reason: reason.slice(0, MAX_REASON),
    tokenVersion: refused?.tokenVersion ?? null,
    now,
  });
  return marked || refused === undefined;
}

async function canTryAgain(services: RefreshServices, accountId: string, refused: RefusedAccess): Promise<boolean> {
  const [entry] = await selectForAccess(services.db, [accountId]);
  const connection = entry?.connection;
  if (!entry || !connection || connection.status !== "active" || entry.account.sealedToken !== null) {
    return false;
  }
  if (connection.tokenVersion !== refused.tokenVersion) {
    return true;
  }
  const way = reach(services, connection.platform);
  const tokens = await openTokens(services, connection);
  return (
    way !== null && tokens !== null && (await renewRefused(services, { row: connection, tokens, reach: way })) !== null
  );
}
