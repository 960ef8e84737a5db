import type { Platform } from "#core/platform.ts";
import type { AccountStatus } from "#core/status.ts";

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
  readonly statusReason: string | null;
  readonly missingScopes: readonly string[];
  readonly tokenExpiresAt: number | null;
  readonly connectedAt: number;
  readonly lastSyncedAt: number | null;
}

export interface SyncResult {
  readonly accounts: readonly Account[];
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly needsReconnect: readonly string[];
  readonly skipped: readonly {
    readonly platform: Platform;
    readonly platformAccountId: string;
    readonly displayName: string;
    readonly reason: string;
  }[];
}

/** What the page after the browser login tells the person. */
export type ConnectEnd =
  | { readonly ok: true; readonly platform: Platform; readonly added: readonly Account[]; readonly skipped: SyncResult["skipped"] }
  | { readonly ok: false; readonly platform: Platform; readonly reason: string };
