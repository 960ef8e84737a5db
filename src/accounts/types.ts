import type { Platform } from "#core/platform.ts";
import type { AccountStatus } from "#core/status.ts";
import type { JsonObject } from "#core/json.ts";
import type { AccountAccess, FaultCategory } from "#platforms/contract.ts";

export interface Account {
  readonly id: string;
  readonly workspaceId: string;
  /** The login that the account uses. */
  readonly connectionId: string;
  readonly platform: Platform;
  readonly platformAccountId: string;
  readonly username: string;
  readonly displayName: string;
  readonly avatarUrl: string | null;
  readonly profileUrl: string | null;
  readonly status: AccountStatus;
  /** Why the account needs a new login, or by when it will. The user reads it. */
  readonly statusReason: string | null;
  readonly missingScopes: readonly string[];
  /** What the platform allows the account. Only the adapter interprets it. */
  readonly capabilities: JsonObject;
  readonly tokenExpiresAt: number | null;
  /** When the user must log in again; null if the login is renewed automatically. */
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
  /** New and reconnected accounts that no earlier sync has reported. */
  readonly added: readonly string[];
  /** Active accounts with a visible change. */
  readonly updated: readonly string[];
  /** Every account that needs a new login now. */
  readonly needsReconnect: readonly string[];
  readonly skipped: readonly SkippedAccount[];
}

/** The caller passes these on to the modules for posts, because this module must not import them. */
export interface AvailabilityChanges {
  /** Accounts that can be used again; their paused posts can be resumed. */
  readonly reactivatedAccountIds: readonly string[];
  /** Accounts to which nothing can be posted; the caller pauses their posts. An id may occur more than once. */
  readonly blockedAccountIds: readonly string[];
}

/** The result that the page after the browser login shows. */
export type ConnectResult =
  | {
      readonly ok: true;
      readonly platform: Platform;
      readonly added: readonly Account[];
      /** Accounts that were already connected and got a new login. */
      readonly updated: readonly Account[];
      readonly skipped: SyncResult["skipped"];
      /** True if the platform could not list the accounts yet. The next sync adds them. */
      readonly pending: boolean;
    }
  | { readonly ok: false; readonly platform: Platform; readonly reason: string };

export type FinishedConnect = ConnectResult &
  AvailabilityChanges & {
    /** The user who started the login; null if the state was not valid. */
    readonly userId: string | null;
    readonly workspaceId: string | null;
    /** Set if the person must choose accounts; only the browser that has `browserToken` opens the page for that. */
    readonly choice: { readonly browserToken: string } | null;
  };

/** The data of an account that checking a post's target needs. */
export interface TargetAccount {
  readonly id: string;
  readonly platform: Platform;
  readonly platformAccountId: string;
  readonly username: string;
  readonly displayName: string;
  /** Also `needs_reconnect` if the login of the account needs a reconnect. */
  readonly status: AccountStatus;
  readonly statusReason: string | null;
  readonly missingScopes: readonly string[];
  readonly capabilities: JsonObject;
  readonly connectionId: string;
  /** When the login of the account ends for good and cannot be renewed; null if it does not end. */
  readonly loginEndsAt: number | null;
}

/** Account access, with the version of its tokens and the hosts that were stored with its login. */
export interface GrantedAccess extends AccountAccess {
  readonly hosts: readonly string[];
  readonly tokenVersion: number;
}

/** Which token version a platform refused, and why. */
export interface RefusedAccess {
  readonly tokenVersion: number;
  readonly category: FaultCategory;
}
