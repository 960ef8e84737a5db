import { configuredPlatform } from "#accounts/configured-platform.ts";
import { type RefreshServices, expireRefusedToken } from "./refresh-tokens.ts";
import { blockAccount } from "#accounts/store-accounts.ts";
import { selectAccountsWithConnections } from "#accounts/store-connections.ts";
import { unsealTokens } from "./seal-tokens.ts";
import type { RefusedAccess } from "#accounts/types.ts";

const MAX_REASON_LENGTH = 300;

/**
 * Handles a platform's fault of kind `reconnect`. True: the account now needs a new login. False: the refused token was
 * replaced or is marked for a refresh (many platforms end tokens early), so the caller retries. Without `refused`, the
 * account is always marked.
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
    reason: reason.slice(0, MAX_REASON_LENGTH),
    tokenVersion: refused?.tokenVersion ?? null,
    now,
  });
  return marked || refused === undefined;
}

async function canTryAgain(services: RefreshServices, accountId: string, refused: RefusedAccess): Promise<boolean> {
  const [entry] = await selectAccountsWithConnections(services.db, [accountId]);
  const connection = entry?.connection;
  if (!entry || !connection || connection.status !== "active" || entry.account.sealedToken !== null) {
    return false;
  }
  if (connection.tokenVersion !== refused.tokenVersion) {
    return true;
  }
  const platform = configuredPlatform(services, connection.platform);
  const tokens = await unsealTokens(services, connection);
  return (
    platform !== null &&
    tokens !== null &&
    (await expireRefusedToken(services, { row: connection, tokens, platform })) !== null
  );
}
