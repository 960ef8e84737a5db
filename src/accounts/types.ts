import type { Platform } from "#core/platform.ts";
import type { AccountStatus } from "#core/status.ts";
import type { JsonObject } from "#core/json.ts";
import type { AccountAccess, FaultCategory } from "#platforms/contract.ts";

export interface Account {
  readonly id: string;
  readonly workspaceId: string;
  /** The id of the login that the account uses. */
  readonly connectionId: string;
  readonly platform: Platform;
  readonly platformAccountId: string;
  readonly username: string;
  readonly displayName: string;
  readonly avatarUrl: string | null;
  readonly profileUrl: string | null;
  readonly status: AccountStatus;
  /** Why the account needs a new login now, or by when it will. The text is for the user. */
  readonly statusReason: string | null;
  readonly missingScopes: readonly string[];
  /** What the platform lets the account do. Only the platform's adapter interprets the value. */
  readonly capabilities: JsonObject;
  readonly tokenExpiresAt: number | null;
  /** When (ms) the user must log in again. Null if the service renews the login without the user. */
  readonly loginEndsAt: number | null;
  readonly connectedAt: number;
  readonly lastSyncedAt: number | null;
}

/** An account that the platform listed but that was not connected, and why. */
export interface SkippedAccount {
  readonly platform: Platform;
  readonly platformAccountId: string;
  readonly displayName: string;
  readonly reason: string;
}

export interface SyncResult {
  readonly accounts: readonly Account[];
  /** Ids of new and reconnected accounts that no earlier sync has reported. */
  readonly added: readonly string[];
  /** Ids of active accounts whose name or another visible value changed. */
  readonly updated: readonly string[];
  /** Ids of all accounts that need a new login now, not only the newly blocked ones. */
  readonly needsReconnect: readonly string[];
  readonly skipped: readonly SkippedAccount[];
}

/**
 * Accounts whose posts must be paused or resumed. The caller does this, because this module must not import the modules
 * for posts.
 */
export interface AvailabilityChanges {
  /** Accounts that can be used again, so that their paused posts can be resumed. */
  readonly reactivatedAccountIds: readonly string[];
  /** Accounts to which nothing can be posted, so the caller pauses their posts. An id may occur more than once. */
  readonly blockedAccountIds: readonly string[];
}

/** The result that the page after the browser login shows. */
export type ConnectResult =
  | {
      readonly ok: true;
      readonly platform: Platform;
      readonly added: readonly Account[];
      /** Accounts that were already connected and whose tokens the login replaced. */
      readonly updated: readonly Account[];
      readonly skipped: SyncResult["skipped"];
      /** True if the platform could not list the accounts yet, so that the next sync adds them. */
      readonly pending: boolean;
    }
  | { readonly ok: false; readonly platform: Platform; readonly reason: string };

export type FinishedConnect = ConnectResult &
  AvailabilityChanges & {
    /** The user who started the login. Null if the OAuth state was not valid. */
    readonly userId: string | null;
    readonly workspaceId: string | null;
    /**
     * Set if the person must choose accounts. Only the browser with this `browserToken` can open the page for the
     * choice.
     */
    readonly choice: { readonly browserToken: string } | null;
  };

/** The data of an account that the check of a post's target needs. */
export interface TargetAccount {
  readonly id: string;
  readonly platform: Platform;
  readonly platformAccountId: string;
  readonly username: string;
  readonly displayName: string;
  /** The account's status. It is also `needs_reconnect` if only the login of the account needs a reconnect. */
  readonly status: AccountStatus;
  readonly statusReason: string | null;
  readonly missingScopes: readonly string[];
  readonly capabilities: JsonObject;
  readonly connectionId: string;
  /** When (ms) the account's login ends and cannot be renewed. Null if it does not end. */
  readonly loginEndsAt: number | null;
}

/** Access to an account, with the version of its tokens and the hosts that were stored with its login. */
export interface GrantedAccess extends AccountAccess {
  readonly hosts: readonly string[];
  readonly tokenVersion: number;
}

/** Which token version a platform refused, and why. */
export interface RefusedAccess {
  readonly tokenVersion: number;
  readonly category: FaultCategory;
}
