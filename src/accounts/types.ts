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
  /** Why it needs a new login, or by when it will; a sentence for a person. */
  readonly statusReason: string | null;
  readonly missingScopes: readonly string[];
  readonly tokenExpiresAt: number | null;
  readonly connectedAt: number;
  readonly lastSyncedAt: number | null;
}

/** Something a login has that did not become an account here, and why. */
export interface SkippedAccount {
  readonly platform: Platform;
  readonly platformAccountId: string;
  readonly displayName: string;
  readonly reason: string;
}

export interface SyncResult {
  readonly accounts: readonly Account[];
  /** Accounts no sync has told of before: new ones, and those that came back. */
  readonly added: readonly string[];
  /** Usable accounts of which something visible changed. */
  readonly updated: readonly string[];
  /** Every account that needs a new login now. */
  readonly needsReconnect: readonly string[];
  readonly skipped: readonly SkippedAccount[];
}

/** What the caller must pass on to the posting room, which accounts cannot reach. */
export interface PostingNews {
  /** For `readmitAccounts`: usable again after they were not. */
  readonly readmittedAccountIds: readonly string[];
  /** For `pauseForAccounts`: cannot be posted to; naming one again is harmless. */
  readonly blockedAccountIds: readonly string[];
}

/** What the page after the browser login tells the person. */
export type ConnectEnd =
  | {
      readonly ok: true;
      readonly platform: Platform;
      readonly added: readonly Account[];
      /** Accounts that were here already and got a new login. */
      readonly updated: readonly Account[];
      readonly skipped: SyncResult["skipped"];
      /** True when the platform did not tell its accounts yet: the next sync brings them. */
      readonly pending: boolean;
    }
  | { readonly ok: false; readonly platform: Platform; readonly reason: string };

export type FinishedConnect = ConnectEnd &
  PostingNews & {
    /** Whose login it was; null when the state named nobody. */
    readonly userId: string | null;
    readonly workspaceId: string | null;
  };

/** An account as a preview needs it. */
export interface ChosenAccount {
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
}

/** Access with the version of the tokens it was made from. */
export interface GrantedAccess extends AccountAccess {
  readonly tokenVersion: number;
}

/** What a caller knows of the access that was refused. */
export interface RefusedAccess {
  readonly tokenVersion: number;
  readonly category: FaultCategory;
}
