import { oneLine, quoted } from "./quoted.ts";
import type { Account } from "#wire/schemas/account.ts";

export function accountLine(account: Account): string {
  const state =
    account.status === "active"
      ? "active"
      : `needs_reconnect: ${oneLine(account.status_reason ?? "the person has to log in again", 300)}`;
  const missing = account.missing_scopes.length === 0 ? "" : `; login lacks ${account.missing_scopes.join(", ")}`;
  return `- ${account.id}: ${account.platform} ${quoted(account.username)} (${quoted(account.display_name)}), ${state}${missing}`;
}
