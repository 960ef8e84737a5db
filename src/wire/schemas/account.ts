import { z } from "@hono/zod-openapi";
import type { Account as DomainAccount, SyncResult as DomainSyncResult } from "#accounts/types.ts";
import { toIsoInstant } from "#core/clock.ts";
import { ACCOUNT_STATUSES } from "#core/status.ts";
import {
  EXAMPLE_ACCOUNT_ID,
  EXAMPLE_PLATFORM,
  EXAMPLE_WORKSPACE_ID,
  Id,
  Instant,
  instantOrNull,
  PlatformName,
} from "./common.ts";
import { type LimitServices, OwnLimits, presentOwnLimits } from "./platform-limits.ts";

export const Account = z
  .object({
    id: Id.openapi({ description: "The id used in `targets` and `account_ids`." }),
    workspace_id: Id,
    platform: PlatformName,
    platform_account_id: z.string().openapi({ description: "The platform's own id of the account." }),
    username: z.string(),
    display_name: z.string(),
    avatar_url: z.string().nullable(),
    profile_url: z.string().nullable(),
    status: z.enum(ACCOUNT_STATUSES).openapi({ description: "`needs_reconnect`: the user has to log in again." }),
    status_reason: z.string().nullable().openapi({ description: "Why the account needs to be reconnected." }),
    missing_scopes: z
      .array(z.string())
      .openapi({ description: "Scopes that posting requires and the user did not grant." }),
    limits: OwnLimits,
    token_expires_at: Instant.nullable(),
    connected_at: Instant,
    last_synced_at: Instant.nullable(),
  })
  .openapi("Account", { description: "A connected social account." });
export type Account = z.infer<typeof Account>;

export const EXAMPLE_ACCOUNT: Account = {
  id: EXAMPLE_ACCOUNT_ID,
  workspace_id: EXAMPLE_WORKSPACE_ID,
  platform: EXAMPLE_PLATFORM,
  platform_account_id: "17841400000000001",
  username: "ada_makes",
  display_name: "Ada Makes",
  avatar_url: "https://images.example.net/ada.jpg",
  profile_url: "https://social.example.net/ada_makes",
  status: "active",
  status_reason: null,
  missing_scopes: [],
  limits: null,
  token_expires_at: "2027-01-20T09:00:00.000Z",
  connected_at: "2026-11-20T09:00:00.000Z",
  last_synced_at: "2026-11-20T09:00:05.000Z",
};

export function presentAccount(services: LimitServices, account: DomainAccount): Account {
  return {
    id: account.id,
    workspace_id: account.workspaceId,
    platform: account.platform,
    platform_account_id: account.platformAccountId,
    username: account.username,
    display_name: account.displayName,
    avatar_url: account.avatarUrl,
    profile_url: account.profileUrl,
    status: account.status,
    status_reason: account.statusReason,
    missing_scopes: [...account.missingScopes],
    limits: presentOwnLimits(services, account),
    token_expires_at: instantOrNull(account.tokenExpiresAt),
    connected_at: toIsoInstant(account.connectedAt),
    last_synced_at: instantOrNull(account.lastSyncedAt),
  };
}

export const AccountList = z.object({ accounts: z.array(Account) }).openapi("AccountList");

export const SyncResult = z
  .object({
    accounts: z.array(Account).openapi({ description: "Every account of the active workspace, in its current state." }),
    added: z.array(Id),
    updated: z.array(Id),
    needs_reconnect: z.array(Id),
    skipped: z
      .array(
        z.object({
          platform: PlatformName,
          platform_account_id: z.string(),
          display_name: z.string(),
          reason: z.string(),
        }),
      )
      .openapi({ description: "Accounts that cannot be posted to or do not fit into the plan, with the reason." }),
  })
  .openapi("SyncResult");

export function presentSync(services: LimitServices, result: DomainSyncResult): z.infer<typeof SyncResult> {
  return {
    accounts: result.accounts.map((account) => presentAccount(services, account)),
    added: [...result.added],
    updated: [...result.updated],
    needs_reconnect: [...result.needsReconnect],
    skipped: result.skipped.map((account) => ({
      platform: account.platform,
      platform_account_id: account.platformAccountId,
      display_name: account.displayName,
      reason: account.reason,
    })),
  };
}
