import type { Services } from "#context.ts";
import type { Fault, Result } from "#platforms/contract.ts";
import { failed, rejected, succeeded } from "#platforms/fault.ts";
import { type LiveLogin, liveLogin, loginEnded, type RefreshServices } from "./refresh-tokens.ts";
import { selectForAccess } from "./store-connections.ts";
import { openAccountToken, unreadable } from "./seal-tokens.ts";
import type { GrantedAccess } from "./types.ts";

type AccountEntry = Awaited<ReturnType<typeof selectForAccess>>[number]["account"];

/**
 * What calls on behalf of these accounts need: one database round trip while nothing has expired, and one renewal a login
 * when something has. Every id asked for is in the answer.
 */
export async function accessFor(
  services: RefreshServices,
  accountIds: readonly string[],
): Promise<Map<string, Result<GrantedAccess>>> {
  const entries = new Map((await selectForAccess(services.db, accountIds)).map((entry) => [entry.account.id, entry]));
  const logins = new Map<string, Promise<Result<LiveLogin>>>();
  const results = await Promise.all(
    accountIds.map(async (id): Promise<[string, Result<GrantedAccess>]> => {
      const entry = entries.get(id);
      if (!entry || entry.account.disconnectedAt !== null) {
        return [id, failed(disconnected())];
      }
      const { account, connection } = entry;
      if (account.status !== "active") {
        return [id, failed(loginEnded(account.statusReason))];
      }
      const login = logins.get(connection.id) ?? liveLogin(services, connection);
      logins.set(connection.id, login);
      return [id, await grant(services, account, await login)];
    }),
  );
  return new Map(results);
}

async function grant(
  services: Pick<Services, "config">,
  account: AccountEntry,
  login: Result<LiveLogin>,
): Promise<Result<GrantedAccess>> {
  if (!login.ok) {
    return login;
  }
  const { row, tokens, reach } = login.value;
  const own =
    account.sealedToken === null
      ? tokens.accessToken
      : await openAccountToken(services, account.connectionId, account.platformAccountId, account.sealedToken);
  if (own === null) {
    return failed(unreadable());
  }
  return succeeded({
    platformAccountId: account.platformAccountId,
    username: account.username,
    capabilities: account.capabilities,
    accessToken: own,
    loginToken: tokens.accessToken,
    app: reach.app,
    tokenVersion: row.tokenVersion,
  });
}

function disconnected(): Fault {
  return rejected(
    "The account was disconnected.",
    { httpStatus: null },
    { code: "account_disconnected", category: "auth" },
  );
}
