import type { Services } from "#context.ts";
import type { Fault, Result } from "#platforms/contract.ts";
import { failed, rejected, succeeded } from "#platforms/fault.ts";
import { type ActiveLogin, loadActiveLogin, loginEnded, type RefreshServices } from "./refresh-tokens.ts";
import { type AccountWithConnection, selectAccountsWithConnections } from "#accounts/store-connections.ts";
import { unsealAccountToken, tokenUnreadable } from "./seal-tokens.ts";
import type { GrantedAccess } from "#accounts/types.ts";

/**
 * Returns tokens and app credentials for platform calls, with an entry for every requested account id. It takes one
 * database round trip, or none if the caller passes the accounts in `known`. Each login with an expired token adds a
 * token refresh.
 */
export async function getAccountAccess(
  services: RefreshServices,
  accountIds: readonly string[],
  known: ReadonlyMap<string, AccountWithConnection> = new Map(),
): Promise<Map<string, Result<GrantedAccess>>> {
  const unknownIds = accountIds.filter((id) => !known.has(id));
  const read = unknownIds.length === 0 ? [] : await selectAccountsWithConnections(services.db, unknownIds);
  const entries = new Map([...known, ...read.map((entry) => [entry.account.id, entry] as const)]);
  const logins = new Map<string, Promise<Result<ActiveLogin>>>();
  const results = await Promise.all(
    accountIds.map(async (id): Promise<[string, Result<GrantedAccess>]> => {
      const entry = entries.get(id);
      if (!entry || entry.account.disconnectedAt !== null) {
        return [id, failed(accountDisconnected())];
      }
      const { account, connection } = entry;
      if (account.status !== "active") {
        return [id, failed(loginEnded(account.statusReason))];
      }
      const login = logins.get(connection.id) ?? loadActiveLogin(services, connection);
      logins.set(connection.id, login);
      return [id, await grantAccess(services, account, await login)];
    }),
  );
  return new Map(results);
}

async function grantAccess(
  services: Pick<Services, "config">,
  account: AccountWithConnection["account"],
  login: Result<ActiveLogin>,
): Promise<Result<GrantedAccess>> {
  if (!login.ok) {
    return login;
  }
  const { row, tokens, platform } = login.value;
  const accessToken =
    account.sealedToken === null
      ? tokens.accessToken
      : await unsealAccountToken(services, account.connectionId, account.platformAccountId, account.sealedToken);
  if (accessToken === null) {
    return failed(tokenUnreadable());
  }
  return succeeded({
    platformAccountId: account.platformAccountId,
    username: account.username,
    capabilities: account.capabilities,
    accessToken,
    loginToken: tokens.accessToken,
    extra: tokens.extra ?? {},
    app: platform.app,
    hosts: tokens.hosts ?? [],
    tokenVersion: row.tokenVersion,
  });
}

function accountDisconnected(): Fault {
  return rejected(
    "The account was disconnected.",
    { httpStatus: null },
    { code: "account_disconnected", category: "auth" },
  );
}
