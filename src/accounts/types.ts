import type { Platform } from "#core/platform.ts";
import type { AccountStatus } from "#core/status.ts";
import type { JsonObject } from "#core/json.ts";
import type { AccountAccess, FaultCategory } from "#platforms/contract.ts";

export interface Account {
  readonly id: string;
  readonly workspaceId: string;
  readonly platform: Platform;
  readonly platformAccountId: string;
  readonly username: string;
  readonly displayName: string;
  readonly avatarUrl: string | null;
  readonly profileUrl: string | null;
  readonly status: AccountStatus;
  /** Why it needs a new login, or by when it will; shown to the user. */
  readonly statusReason: string | null;
  readonly missingScopes: readonly string[];
  /** As the platform told them; the adapter interprets them. */
  readonly capabilities: JsonObject;
  readonly tokenExpiresAt: number | null;
  /** When the user must log in again; null while the login is renewed by itself. */
  readonly loginEndsAt: number | null;
  readonly connectedAt: number;
  readonly lastSyncedAt: number | null;
}

/** An account at the platform that was not connected, and why. */
export interface SkippedAccount {
  readonly platform: Platform;
  readonly platformAccountId: string;
  readonly displayName: string;
  readonly reason: string;
}

export interface SyncResult {
  readonly accounts: readonly Account[];
  /** Accounts that no sync has reported before: new ones, and those that were connected again. */
  readonly added: readonly string[];
  /** Active accounts with a visible change. */
  readonly updated: readonly string[];
  /** Every account that needs a new login now. */
  readonly needsReconnect: readonly string[];
  readonly skipped: readonly SkippedAccount[];
}

/** For the caller to pass on to the posting module, which this module must not import. */
export interface AvailabilityChanges {
  /** Usable again after they were not; their paused posts can be resumed. */
  readonly reactivatedAccountIds: readonly string[];
  /** Cannot be posted to; their posts are to be paused. An id may be reported more than once. */
  readonly blockedAccountIds: readonly string[];
}

/** What the page after the browser login shows. */
export type ConnectResult =
  | {
      readonly ok: true;
      readonly platform: Platform;
      readonly added: readonly Account[];
      /** Accounts that were here already and got a new login. */
      readonly updated: readonly Account[];
      readonly skipped: SyncResult["skipped"];
      /** True when the platform could not list the accounts yet: the next sync adds them. */
      readonly pending: boolean;
    }
  | { readonly ok: false; readonly platform: Platform; readonly reason: string };

export type FinishedConnect = ConnectResult &
  AvailabilityChanges & {
    /** The user who started the login; null when the state was not valid. */
    readonly userId: string | null;
    readonly workspaceId: string | null;
  };

/** An account as a post's target needs it. */
export interface TargetAccount {
  readonly id: string;
  readonly platform: Platform;
  readonly platformAccountId: string;
  readonly username: string;
  readonly displayName: string;
  /** `needs_reconnect` also while the login behind it needs one. */
  readonly status: AccountStatus;
  readonly statusReason: string | null;
  readonly missingScopes: readonly string[];
  readonly capabilities: JsonObject;
  readonly connectionId: string;
  /** When the login behind it ends for good, whatever is done with it; null if it does not. */
  readonly loginEndsAt: number | null;
}

/** Access, with the version of the tokens that it uses and the hosts that its login fixed for itself. */
export interface GrantedAccess extends AccountAccess {
  readonly hosts: readonly string[];
  readonly tokenVersion: number;
}

/** The access that a platform refused, and why. */
export interface RefusedAccess {
  readonly tokenVersion: number;
  readonly category: FaultCategory;
}
