import { toSingleLine } from "#core/text.ts";
import { PLATFORM_NAMES } from "#core/platform.ts";
import type { Services } from "#context.ts";
import type { PostableAccount } from "#platforms/contract.ts";
import { withGrantedScopes } from "#platforms/extra-scopes.ts";
import type { ListedAccount } from "./store-account-listing.ts";
import type { ConnectionRow } from "#accounts/store-connections.ts";
import { sealAccountToken } from "#accounts/tokens/seal-tokens.ts";

const MAX_NAME_LENGTH = 200;
const MAX_URL_LENGTH = 2000;

/** Makes a platform's text safe to store and show: well-formed Unicode, one line, bounded length. */
function cleanText(text: string): string {
  const singleLine = toSingleLine(text).trim();
  return [...singleLine].slice(0, MAX_NAME_LENGTH).join("");
}

function cleanUrl(url: string | null): string | null {
  return url !== null && url.length <= MAX_URL_LENGTH && URL.parse(url)?.protocol === "https:" ? url : null;
}

/**
 * Makes account rows from a platform's listing: without duplicates, with encrypted tokens and with the reason for
 * missing permissions.
 */
export async function toListedAccounts(
  services: Pick<Services, "config" | "ids">,
  connection: Pick<ConnectionRow, "id" | "platform">,
  accounts: readonly PostableAccount[],
  grantedScopes: readonly string[],
): Promise<readonly Omit<ListedAccount, "isChosen">[]> {
  const settings = services.config.app(connection.platform)?.settings ?? {};
  const distinct = new Map(accounts.map((account) => [account.platformAccountId, account]));
  return await Promise.all(
    [...distinct.values()].map(async (account): Promise<Omit<ListedAccount, "isChosen">> => {
      const lacksScopes = account.missingScopes.length > 0;
      return {
        id: services.ids.uuid(),
        platformAccountId: account.platformAccountId,
        username: cleanText(account.username),
        displayName: cleanText(account.displayName) || cleanText(account.username),
        avatarUrl: cleanUrl(account.avatarUrl),
        profileUrl: cleanUrl(account.profileUrl),
        capabilities: JSON.stringify(withGrantedScopes(account.capabilities, grantedScopes, settings)),
        isPartial: account.isPartial === true,
        missingScopes: JSON.stringify(account.missingScopes),
        sealedToken:
          account.token === null
            ? null
            : await sealAccountToken(services, connection.id, account.platformAccountId, account.token),
        status: lacksScopes ? "needs_reconnect" : "active",
        statusReason: lacksScopes
          ? `${PLATFORM_NAMES[connection.platform]} did not grant: ${account.missingScopes.join(", ")}. Connect again and allow everything that is asked for.`
          : null,
      };
    }),
  );
}
