import { PLATFORM_NAMES } from "#core/platform.ts";
import type { Services } from "#context.ts";
import type { PostableAccount } from "#platforms/contract.ts";
import type { ListedAccount } from "./store-account-listing.ts";
import type { ConnectionRow } from "./store-connections.ts";
import { sealAccountToken } from "./seal-tokens.ts";

const MAX_NAME = 200;
const MAX_ADDRESS = 2000;
const CONTROL = /\p{Cc}+/gu;

/** A platform's text made fit for our tables and pages: whole characters, one line, bounded. */
function clean(text: string): string {
  const line = text.toWellFormed().replace(CONTROL, " ").trim();
  return [...line].slice(0, MAX_NAME).join("");
}

function cleanAddress(address: string | null): string | null {
  return address !== null && address.length <= MAX_ADDRESS && URL.parse(address)?.protocol === "https:"
    ? address
    : null;
}

/** What a platform listed, as rows: each account once, its own token sealed, missing permissions spelled out. */
export async function toListed(
  services: Pick<Services, "config" | "ids">,
  connection: Pick<ConnectionRow, "id" | "platform">,
  accounts: readonly PostableAccount[],
): Promise<readonly ListedAccount[]> {
  const once = new Map(accounts.map((account) => [account.platformAccountId, account]));
  return await Promise.all(
    [...once.values()].map(async (account): Promise<ListedAccount> => {
      const lacks = account.missingScopes.length > 0;
      return {
        id: services.ids.uuid(),
        platformAccountId: account.platformAccountId,
        username: clean(account.username),
        displayName: clean(account.displayName) || clean(account.username),
        avatarUrl: cleanAddress(account.avatarUrl),
        profileUrl: cleanAddress(account.profileUrl),
        capabilities: JSON.stringify(account.capabilities),
        missingScopes: JSON.stringify(account.missingScopes),
        sealedToken:
          account.token === null
            ? null
            : await sealAccountToken(services, connection.id, account.platformAccountId, account.token),
        status: lacks ? "needs_reconnect" : "active",
        statusReason: lacks
          ? `${PLATFORM_NAMES[connection.platform]} did not grant: ${account.missingScopes.join(", ")}. Connect again and allow everything that is asked for.`
          : null,
      };
    }),
  );
}
