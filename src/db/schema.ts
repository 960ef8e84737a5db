import type { PausedReason, TargetErrorCode } from "#core/codes.ts";
import { sql } from "drizzle-orm";
import { blob, check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Author, Confirms } from "#core/actor.ts";
import type { AlertKind } from "#core/alert.ts";
import type { EventType } from "#core/event-type.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import type { OperatorAlertKind, OperatorAlertState } from "#core/operator-alert.ts";
import type { Plan, SubscriptionStatus } from "#core/plan.ts";
import type { Platform } from "#core/platform.ts";
import type { Scope } from "#core/scope.ts";
import type { FitReason } from "#core/fit.ts";
import type {
  AccountStatus,
  ApprovalState,
  CreatedVia,
  ExtraName,
  ExtraStatus,
  MediaType,
  PostStatus,
  PostType,
  TargetState,
} from "#core/status.ts";

/* Instants are integers in milliseconds since 1970 (UTC). Secrets are stored only as SHA-256 in hexadecimal. Lists
   and objects are JSON. No foreign key cascades and no migration rebuilds a table, because both silently delete
   child rows and triggers (docs/guide/storage.md). */

export type UserRole = "operator";

export const users = sqliteTable(
  "users",
  {
    id: text().primaryKey(),
    email: text().notNull(),
    passwordHash: text("password_hash"),
    activeWorkspaceId: text("active_workspace_id").notNull(),
    timeZone: text("time_zone").notNull().default("UTC"),
    emailVerifiedAt: integer("email_verified_at"),
    createdAt: integer("created_at").notNull(),
    /** The kinds of alerts about which the user wants no mail. */
    mutedAlerts: text("muted_alerts", { mode: "json" }).$type<AlertKind[]>().notNull().default([]),
    /** `operator`: the user sees the state of the installation and gets its alerts. The first user is an operator. */
    role: text().$type<UserRole>(),
    /** When (ms) the operator disabled the user, who then cannot sign in. Null for an enabled user. */
    disabledAt: integer("disabled_at"),
  },
  (t) => [uniqueIndex("users_email").on(t.email)],
);

export const subscriptions = sqliteTable(
  "subscriptions",
  {
    userId: text("user_id").primaryKey(),
    plan: text().$type<Plan>().notNull(),
    status: text().$type<SubscriptionStatus>().notNull(),
    /** When (ms) the trial, the paid period or the grace period ends, depending on `status`. */
    currentPeriodEnd: integer("current_period_end"),
    stripeCustomerId: text("stripe_customer_id"),
    stripeSubscriptionId: text("stripe_subscription_id"),
    updatedAt: integer("updated_at").notNull(),
  },
  (t) => [
    index("subscriptions_customer")
      .on(t.stripeCustomerId)
      .where(sql`stripe_customer_id IS NOT NULL`),
    index("subscriptions_lapse")
      .on(t.currentPeriodEnd)
      .where(sql`current_period_end IS NOT NULL`),
  ],
);

export const workspaces = sqliteTable(
  "workspaces",
  {
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    name: text().notNull(),
    createdAt: integer("created_at").notNull(),
    /**
     * The number of the database with the workspace's posts, the same for all workspaces of a user. So far only
     * database 0 exists.
     */
    shard: integer().notNull().default(0),
    /** Whether a person must enter the password or use a passkey again before approving an agent's request. */
    approvalReauthentication: integer("approval_reauthentication", { mode: "boolean" }).notNull().default(false),
    /**
     * When (ms) a cron run last began to send the mail with notices. It spaces the mails and keeps a parallel run from
     * sending the same mail.
     */
    alertsMailedAt: integer("alerts_mailed_at"),
  },
  (t) => [index("workspaces_user").on(t.userId)],
);

export const sessions = sqliteTable(
  "sessions",
  {
    hash: text().primaryKey(),
    userId: text("user_id").notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    /** When (ms) the user last entered the password or used a passkey in this session. */
    authenticatedAt: integer("authenticated_at").notNull().default(0),
  },
  (t) => [index("sessions_user").on(t.userId), index("sessions_expiry").on(t.expiresAt)],
);

/**
 * Failed sign-ins by e-mail address and client, so that one person's failures do not delay another person. Both are
 * hashes, because people mistype addresses that belong to others. Known and unknown addresses have rows alike. `WITHOUT
 * ROWID`.
 */
export const signInAttempts = sqliteTable(
  "sign_in_attempts",
  {
    emailHash: text("email_hash").notNull(),
    /** Hash of who tried: the network, the known browser or the session. */
    clientHash: text("client_hash").notNull(),
    failures: integer().notNull(),
    nextAttemptAt: integer("next_attempt_at"),
    updatedAt: integer("updated_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.emailHash, t.clientHash] }), index("sign_in_attempts_updated").on(t.updatedAt)],
);

/**
 * Mails to an address that anybody can cause: for a reset, a verification or a sign-up. The key is a hash, because the
 * address may belong to no user. `WITHOUT ROWID`.
 */
export const accountMails = sqliteTable(
  "account_mails",
  {
    emailHash: text("email_hash").notNull(),
    /**
     * When (ms) the mail was counted. Two mails of the same millisecond get different times, because the time is part
     * of the key.
     */
    at: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.emailHash, t.at] }), index("account_mails_at").on(t.at)],
);

export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    name: text().notNull(),
    hash: text().notNull(),
    hint: text().notNull(),
    scopes: text({ mode: "json" }).$type<Scope[]>().notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at"),
    lastUsedAt: integer("last_used_at"),
    revokedAt: integer("revoked_at"),
    /** Who confirms what is previewed with this key: a person or its holder. */
    confirms: text().$type<Confirms>().notNull().default("self"),
    /** The only workspace in which this key works; null for a key that works in all of its user. It never changes. */
    workspaceId: text("workspace_id"),
  },
  (t) => [
    uniqueIndex("api_keys_hash").on(t.hash),
    index("api_keys_user").on(t.userId),
    index("api_keys_expiry")
      .on(t.expiresAt)
      .where(sql`expires_at IS NOT NULL AND revoked_at IS NULL`),
  ],
);

export const passkeys = sqliteTable(
  "passkeys",
  {
    /** The passkey's credential id, as base64url. */
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    name: text().notNull(),
    /** The passkey's COSE public key, as base64url. */
    publicKey: text("public_key").notNull(),
    counter: integer().notNull(),
    transports: text({ mode: "json" }).$type<string[]>().notNull(),
    createdAt: integer("created_at").notNull(),
    lastUsedAt: integer("last_used_at"),
  },
  (t) => [index("passkeys_user").on(t.userId)],
);

export const loginTokens = sqliteTable(
  "login_tokens",
  {
    hash: text().primaryKey(),
    userId: text("user_id").notNull(),
    purpose: text()
      .$type<
        | "reset_password"
        | "verify_email"
        | "passkey_registration"
        | "passkey_sign_in"
        | "passkey_reauthentication"
        // This kind is no token but a record: until it expires, the user gets no further mail about approvals.
        | "approval_mail_sent"
      >()
      .notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (t) => [index("login_tokens_expiry").on(t.expiresAt)],
);

export const oauthClients = sqliteTable(
  "oauth_clients",
  {
    /** The client id: a UUID, or the https URL of a client id metadata document. */
    id: text().primaryKey(),
    kind: text().$type<"registered" | "dynamic" | "metadata_document">().notNull(),
    name: text().notNull(),
    uri: text(),
    redirectUris: text("redirect_uris", { mode: "json" }).$type<string[]>().notNull(),
    /** Hash of the client's secret. Null for a public client, which has none. */
    secretHash: text("secret_hash"),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at"),
    /**
     * Hash of the network that registered the client, for the limit per network. Null once somebody uses the client.
     */
    registeredFrom: text("registered_from"),
  },
  (t) => [
    index("oauth_clients_registered")
      .on(t.registeredFrom, t.createdAt)
      .where(sql`registered_from IS NOT NULL`),
    index("oauth_clients_expiry")
      .on(t.expiresAt)
      .where(sql`expires_at IS NOT NULL`),
  ],
);

export const oauthGrants = sqliteTable(
  "oauth_grants",
  {
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    clientId: text("client_id").notNull(),
    scopes: text({ mode: "json" }).$type<Scope[]>().notNull(),
    resource: text().notNull(),
    redirectUri: text("redirect_uri").notNull(),
    codeHash: text("code_hash").notNull(),
    codeChallenge: text("code_challenge").notNull(),
    codeExpiresAt: integer("code_expires_at").notNull(),
    codeUsedAt: integer("code_used_at"),
    createdAt: integer("created_at").notNull(),
    revokedAt: integer("revoked_at"),
    /** Who confirms what this app previews: a person or the app. */
    confirms: text().$type<Confirms>().notNull().default("self"),
    /** The only workspace in which this app works; null for an app that works in all of its user. It never changes. */
    workspaceId: text("workspace_id"),
  },
  (t) => [
    uniqueIndex("oauth_grants_code").on(t.codeHash),
    index("oauth_grants_user").on(t.userId, t.clientId),
    index("oauth_grants_client").on(t.clientId),
    index("oauth_grants_dead")
      .on(t.createdAt)
      .where(sql`(code_used_at IS NULL OR revoked_at IS NOT NULL)`),
  ],
);

export const oauthTokens = sqliteTable(
  "oauth_tokens",
  {
    hash: text().primaryKey(),
    grantId: text("grant_id").notNull(),
    kind: text().$type<"access" | "refresh">().notNull(),
    scopes: text({ mode: "json" }).$type<Scope[]>().notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    rotatedAt: integer("rotated_at"),
  },
  (t) => [index("oauth_tokens_grant").on(t.grantId), index("oauth_tokens_expiry").on(t.expiresAt)],
);

/** One OAuth login at a platform, with the tokens for all accounts that the login can use. */
export const connections = sqliteTable(
  "connections",
  {
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    workspaceId: text("workspace_id").notNull(),
    platform: text().$type<Platform>().notNull(),
    /** The platform's id of the user who logged in. It is text, because some ids exceed 2^53. */
    externalId: text("external_id").notNull(),
    /** The platform's id of the person who granted access. Set if several logins share one grant. */
    grantOwner: text("grant_owner"),
    displayName: text("display_name").notNull(),
    /** The login's tokens as encrypted JSON (AES-GCM). Null after they are erased. */
    sealedTokens: text("sealed_tokens"),
    /**
     * Rises with every stored token pair. A refresh stores its tokens only if this number is unchanged, so that it
     * never replaces newer ones.
     */
    tokenVersion: integer("token_version").notNull().default(1),
    /** Until this time (ms), only one caller may refresh the tokens, and the others wait. Afterwards any caller may. */
    refreshLeaseUntil: integer("refresh_lease_until"),
    scopes: text({ mode: "json" }).$type<string[]>().notNull(),
    tokenExpiresAt: integer("token_expires_at"),
    refreshExpiresAt: integer("refresh_expires_at"),
    status: text().$type<AccountStatus>().notNull(),
    statusReason: text("status_reason"),
    connectedAt: integer("connected_at").notNull(),
    lastSyncedAt: integer("last_synced_at"),
    /** When (ms) the cron next syncs the login; null if it needs no sync. */
    nextSyncAt: integer("next_sync_at"),
    /** How many syncs in a row got no response from the platform. Each makes the wait before the next sync longer. */
    syncFailures: integer("sync_failures").notNull().default(0),
    /** When (ms) the login expires unless the user logs in again. Null while the service can renew it. */
    endsAt: integer("ends_at"),
    /** The value of `ends_at` about which the owner was last notified. A trigger on this column records the events. */
    endAnnounced: integer("end_announced"),
    /**
     * Until this time (ms), a login without an account waits for its owner to choose accounts. Then its tokens are
     * erased.
     */
    chooseUntil: integer("choose_until"),
  },
  (t) => [
    uniqueIndex("connections_login").on(t.workspaceId, t.platform, t.externalId),
    index("connections_sync")
      .on(t.platform, t.nextSyncAt)
      .where(sql`next_sync_at IS NOT NULL`),
    index("connections_person").on(t.platform, t.externalId),
    index("connections_ending")
      .on(t.endsAt)
      .where(sql`ends_at IS NOT NULL AND end_announced IS NOT ends_at`),
    index("connections_grant")
      .on(t.platform, t.grantOwner)
      .where(sql`grant_owner IS NOT NULL`),
  ],
);

export const accounts = sqliteTable(
  "accounts",
  {
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    workspaceId: text("workspace_id").notNull(),
    connectionId: text("connection_id").notNull(),
    platform: text().$type<Platform>().notNull(),
    platformAccountId: text("platform_account_id").notNull(),
    username: text().notNull(),
    displayName: text("display_name").notNull(),
    avatarUrl: text("avatar_url"),
    profileUrl: text("profile_url"),
    /**
     * What the platform lets the account do (longer texts, privacy levels). Only the adapter writes and reads the
     * value.
     */
    capabilities: text({ mode: "json" }).$type<JsonObject>().notNull(),
    /** The encrypted token of this account alone (a Page token). Null if the account uses the login's token. */
    sealedToken: text("sealed_token"),
    missingScopes: text("missing_scopes", { mode: "json" }).$type<string[]>().notNull(),
    status: text().$type<AccountStatus>().notNull(),
    statusReason: text("status_reason"),
    /**
     * What caused `needs_reconnect`: a sync (`listing`), whose successor may clear it, or a refused post (`post`),
     * which only a new login clears.
     */
    blockedBy: text("blocked_by").$type<"listing" | "post">(),
    connectedAt: integer("connected_at").notNull(),
    lastSyncedAt: integer("last_synced_at"),
    /** When (ms) the user disconnected the account. The row stays, so that a reconnect gets the same id. */
    disconnectedAt: integer("disconnected_at"),
  },
  (t) => [
    uniqueIndex("accounts_platform_account").on(t.workspaceId, t.platform, t.platformAccountId),
    index("accounts_connection").on(t.connectionId),
    index("accounts_user")
      .on(t.userId)
      .where(sql`disconnected_at IS NULL`),
  ],
);

/** The single-use OAuth `state` of a login in progress. */
export const connectStates = sqliteTable(
  "connect_states",
  {
    hash: text().primaryKey(),
    userId: text("user_id").notNull(),
    workspaceId: text("workspace_id").notNull(),
    platform: text().$type<Platform>().notNull(),
    /** The encrypted PKCE verifier; empty until a browser starts the login. */
    codeVerifier: text("code_verifier").notNull(),
    expiresAt: integer("expires_at").notNull(),
    usedAt: integer("used_at"),
    /** The kind of login method with which the browser last started. */
    method: text(),
    /** The form values that the API caller sent, without secrets. */
    input: text({ mode: "json" }).$type<Record<string, string>>(),
    /** What the adapter stored at the start and needs again in the callback; encrypted. */
    sealedStarted: text("sealed_started"),
    /** Hash of the cookie of the browser that started the login. No other browser can finish it. */
    browserHash: text("browser_hash"),
    /** The login whose accounts the person chooses in this browser. Null before the callback. */
    connectionId: text("connection_id"),
  },
  (t) => [index("connect_states_expiry").on(t.expiresAt)],
);

/**
 * Platforms' requests to delete a person's data. The response to a request contains a code, with which the person can
 * look up the result.
 */
export const dataDeletions = sqliteTable(
  "data_deletions",
  {
    /** 128 random bits, because the code is part of a public address. */
    code: text().primaryKey(),
    platform: text().$type<Platform>().notNull(),
    /** Hash of platform and person, so that a repeated request gets the same code. */
    personHash: text("person_hash").notNull(),
    /** The platform's id of the person. Null after the data are deleted. */
    externalId: text("external_id"),
    /** When (ms) the platform signed the newest request. Later logins of the person are not deleted. */
    issuedAt: integer("issued_at").notNull(),
    requestedAt: integer("requested_at").notNull(),
    completedAt: integer("completed_at"),
  },
  (t) => [
    uniqueIndex("data_deletions_person").on(t.platform, t.personHash),
    index("data_deletions_open")
      .on(t.requestedAt)
      .where(sql`completed_at IS NULL`),
  ],
);

/**
 * Users whose data the cron deletes. It does so for every row, whoever inserted it. A deletion can be withdrawn until
 * `erasing_at` is set.
 */
export const userDeletions = sqliteTable(
  "user_deletions",
  {
    userId: text("user_id").primaryKey(),
    /**
     * Who requested the deletion. `person`: the user, in the dashboard. `operator`: `npm run user`. `restore`: a
     * restored database contained a user who was already deleted.
     */
    requestedBy: text("requested_by").$type<"person" | "operator" | "restore">().notNull(),
    requestedAt: integer("requested_at").notNull(),
    /** When (ms) the cron begins to erase the data. */
    dueAt: integer("due_at").notNull(),
    /**
     * When (ms) a cron run may work on this row. A working run moves it ahead, so that another run takes over only
     * after a failure.
     */
    nextRunAt: integer("next_run_at").notNull(),
    /** When (ms) the user's posts, logins, webhooks and payment had ended. Data are erased only after that. */
    stoppedAt: integer("stopped_at"),
    /** When (ms) the reminder was sent, one day before the data are erased. */
    remindedAt: integer("reminded_at"),
    erasingAt: integer("erasing_at"),
    /** When (ms) no row and no file of the user was left. The cron searches once more later. */
    erasedAt: integer("erased_at"),
    /** The ids of the user's workspaces, which lead to the user's files after the rows are deleted. */
    workspaceIds: text("workspace_ids", { mode: "json" }).$type<string[]>().notNull().default([]),
  },
  (t) => [index("user_deletions_next").on(t.nextRunAt)],
);

/**
 * Which users were deleted. If a restore brings one back, `npm run restore` requests the deletion again. `WITHOUT
 * ROWID`.
 */
export const deletions = sqliteTable("deletions", {
  /** SHA-256 in hexadecimal of `user:` and the user's random id. */
  userHash: text("user_hash").primaryKey(),
  erasedAt: integer("erased_at").notNull(),
});

/** The files in a user's download of all their data. Only the list is stored; a download builds the files again. */
export const dataExports = sqliteTable(
  "data_exports",
  {
    userId: text("user_id").primaryKey(),
    id: text().notNull(),
    /** Hash of the session that requested the download. No other session can download it. */
    sessionHash: text("session_hash").notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    files: text({ mode: "json" }).$type<JsonValue>().notNull(),
  },
  (t) => [index("data_exports_expiry").on(t.expiresAt)],
);

/** The app credentials, encrypted, that a platform's server issued when this service registered there. */
export const appRegistrations = sqliteTable(
  "app_registrations",
  {
    platform: text().$type<Platform>().notNull(),
    /** The host name of the platform's server. */
    server: text().notNull(),
    sealed: text().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.platform, t.server] })],
);

/** Why a target was not published, or cannot be confirmed as published. */
export interface StoredTargetError {
  readonly code: TargetErrorCode;
  readonly category: string;
  readonly message: string;
  readonly platformCode: string | null;
  readonly retryable: boolean;
  readonly whoMustAct: "user" | "operator" | "platform" | "nobody";
}

/** The result of one extra (cover, playlists or first comment) of a target. */
export interface StoredExtra {
  readonly status: ExtraStatus;
  readonly id: string | null;
  readonly url: string | null;
  readonly error: StoredTargetError | null;
}

export type StoredExtras = Readonly<Partial<Record<ExtraName, StoredExtra>>>;

/** One entry in the history of a target: an attempt to publish. */
export interface StoredAttempt {
  readonly at: number;
  readonly step: string;
  readonly outcome: string;
  readonly httpStatus: number | null;
  readonly platformCode: string | null;
  readonly message: string | null;
  readonly nextAttemptAt: number | null;
}

/** One change of a post: when, by whom and what. Long texts are shortened to save space. */
export interface StoredPostChange {
  readonly at: number;
  /** The version of the post after the change. */
  readonly version: number;
  /** How the request arrived (API, MCP, dashboard). Null for a change by the service itself. */
  readonly via: CreatedVia | null;
  /** The API key or app that made the change. Null for the dashboard and for the service. */
  readonly by: Author | null;
  readonly what: PostChangeKind;
  /** Why the post was paused. If the service resumed it, why it had been paused. */
  readonly reason?: PausedReason;
  readonly accountId?: string;
  readonly fields?: readonly StoredFieldChange[];
  /** How many changed fields had no space in this entry. */
  readonly moreFields?: number;
}

export type PostChangeKind =
  | "edited"
  | "paused"
  | "resumed"
  | "cancelled"
  | "retry_stopped"
  | "account_disconnected"
  | "account_reconnected";

export interface StoredFieldChange {
  readonly field: string;
  readonly accountId?: string;
  readonly from: string | number | null;
  readonly to: string | number | null;
}

/** A media item of a post as it was at the preview. R2 stores the file under the hash of its bytes. */
export interface StoredMediaItem {
  readonly id: string;
  readonly type: MediaType;
  readonly url: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly width: number | null;
  readonly height: number | null;
  readonly durationSeconds: number | null;
  readonly sha256: string;
  /**
   * The description for people who cannot see the media. It belongs to the post and not to the file. Absent if the post
   * has none.
   */
  readonly altText?: string;
  /** The cover of a video. Absent if the platform chooses one. */
  readonly cover?: StoredCover;
  /**
   * Set if only one account publishes the item, instead of the post's media. Absent on the post's media and on copies
   * of it.
   */
  readonly own?: true;
  /**
   * Set on a copy that was made to fit a platform: `from` is the id of the original, `reason` says why. `source` is the
   * original, if only this account uses it.
   */
  readonly fitted?: { readonly from: string; readonly reason: FitReason; readonly source?: StoredMediaItem };
}

/** The cover of a video: a moment of the video, or a picture. Exactly one is set. */
export interface StoredCover {
  readonly atMs?: number;
  readonly image?: StoredMediaItem;
}

export const posts = sqliteTable(
  "posts",
  {
    id: text().primaryKey(),
    workspaceId: text("workspace_id").notNull(),
    userId: text("user_id").notNull(),
    status: text().$type<PostStatus>().notNull(),
    pausedReason: text("paused_reason").$type<PausedReason>(),
    scheduledAt: integer("scheduled_at").notNull(),
    /**
     * Rises with every edit, cancel, pause and resume. It makes older alarm hints invalid, and edits of an older
     * version fail.
     */
    version: integer().notNull(),
    /** The id of the publishing run that claimed the post. A run writes results only while its id is here. */
    runId: text("run_id"),
    /**
     * When (ms) the reconciler must check the post. Null exactly for posts that cannot be overdue (SCHEDULING.md S4).
     */
    watchAt: integer("watch_at"),
    postType: text("post_type").$type<PostType>().notNull(),
    caption: text().notNull(),
    media: text({ mode: "json" }).$type<StoredMediaItem[]>().notNull(),
    /** The platforms of the targets, without repetition. The counters of each day use them. */
    platforms: text({ mode: "json" }).$type<Platform[]>().notNull(),
    planHash: text("plan_hash").notNull(),
    /**
     * Hash of the confirmation token that created the post and of the call's nonce. The nonce shows which of two calls
     * with the token created the post.
     */
    confirmHash: text("confirm_hash").notNull(),
    createdVia: text("created_via").$type<CreatedVia>().notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    finishedAt: integer("finished_at"),
    /** The API key or app that created the post. Null for the dashboard. */
    createdBy: text("created_by", { mode: "json" }).$type<Author>(),
    /** The newest 50 changes, oldest first. They are in this row, because every change writes it anyway. */
    changes: text({ mode: "json" }).$type<StoredPostChange[]>(),
    /** The texts of the post and of its accounts for searches: folded, so that case and accents do not matter. */
    searchText: text("search_text").notNull().default(""),
  },
  (t) => [
    index("posts_by_status").on(t.workspaceId, t.status, t.scheduledAt, t.id),
    index("posts_watch")
      .on(t.watchAt)
      .where(sql`watch_at IS NOT NULL`),
    index("posts_cancelled")
      .on(t.updatedAt)
      .where(sql`status = 'cancelled'`),
  ],
);

/**
 * A post's publication at one account. `WITHOUT ROWID` (added to the migration by hand) saves one of two row writes per
 * target.
 */
export const postTargets = sqliteTable(
  "post_targets",
  {
    postId: text("post_id").notNull(),
    accountId: text("account_id").notNull(),
    position: integer().notNull().default(0),
    platform: text().$type<Platform>().notNull(),
    username: text().notNull(),
    caption: text(),
    effectiveCaption: text("effective_caption").notNull(),
    /** The options with defaults filled in, exactly as the adapter gets them. */
    options: text({ mode: "json" }).$type<JsonObject>().notNull(),
    /**
     * The requested options without defaults. An edit starts from them, so that defaults are computed again each time.
     */
    requestedOptions: text("requested_options", { mode: "json" }).$type<JsonObject>(),
    state: text().$type<TargetState>().notNull(),
    dueAt: integer("due_at").notNull(),
    startedAt: integer("started_at"),
    publishedAt: integer("published_at"),
    attempts: integer().notNull().default(0),
    nextAttemptAt: integer("next_attempt_at"),
    remoteId: text("remote_id"),
    remoteUrl: text("remote_url"),
    error: text({ mode: "json" }).$type<StoredTargetError>(),
    /**
     * The media that only this account publishes: own media, or copies that fit the platform. Null if it publishes the
     * post's media.
     */
    media: text({ mode: "json" }).$type<StoredMediaItem[]>(),
    /**
     * The parts that are already published, if a target needs several calls (one pin per board). A retry never repeats
     * them.
     */
    progress: text({ mode: "json" }).$type<JsonValue>(),
    /** The results of the extras: first comment, cover and playlists. Null if the target has none. */
    extras: text({ mode: "json" }).$type<StoredExtras>(),
    /** The newest 50 attempts, oldest first. They are in this row, because every attempt writes it anyway. */
    history: text({ mode: "json" }).$type<StoredAttempt[]>().notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.postId, t.accountId] }), index("post_targets_by_account").on(t.accountId, t.dueAt)],
);

/**
 * Labels and notes of a post for its makers, which are never published. A post without any has no row. `WITHOUT ROWID`.
 */
export const postAnnotations = sqliteTable(
  "post_annotations",
  {
    workspaceId: text("workspace_id").notNull(),
    postId: text("post_id").notNull(),
    /** A copy of the post's `scheduled_at`, by which lists are sorted. A trigger writes it. */
    scheduledAt: integer("scheduled_at").notNull(),
    externalId: text("external_id"),
    metadata: text({ mode: "json" }).$type<Readonly<Record<string, string>>>().notNull(),
    labels: text({ mode: "json" }).$type<readonly string[]>().notNull(),
    notes: text(),
    updatedAt: integer("updated_at").notNull(),
    /** The labels and notes for searches: folded, so that case and accents do not matter. */
    searchText: text("search_text").notNull().default(""),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.postId] })],
);

/** Finds posts by external id and by label. Only triggers write this table. `WITHOUT ROWID`. */
export const annotatedPosts = sqliteTable(
  "annotated_posts",
  {
    workspaceId: text("workspace_id").notNull(),
    kind: text().$type<"external_id" | "label">().notNull(),
    value: text().notNull(),
    scheduledAt: integer("scheduled_at").notNull(),
    postId: text("post_id").notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.kind, t.value, t.scheduledAt, t.postId] })],
);

/**
 * One row for each used token of an edit or of many posts. It makes the token work once and the write all-or-nothing
 * (SCHEDULING.md 3.3). The token of one new post needs no row. `WITHOUT ROWID`.
 */
export const confirmations = sqliteTable(
  "confirmations",
  {
    /**
     * The hour (since 1970) in which the token was issued. It is first in the key, so that the clean-up deletes one
     * range.
     */
    issuedHour: integer("issued_hour").notNull(),
    tokenHash: text("token_hash").notNull(),
    userId: text("user_id").notNull(),
    nonce: text().notNull(),
    postIds: text("post_ids", { mode: "json" }).$type<string[]>().notNull(),
    expected: integer().notNull(),
    matched: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.issuedHour, t.tokenHash] }), check("stale_plan", sql`matched = expected`)],
);

/**
 * A PostPlan that waits for a person, because its credential may not confirm it. The person decides in the dashboard.
 */
export const approvals = sqliteTable(
  "approvals",
  {
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    workspaceId: text("workspace_id").notNull(),
    /** Hash of the confirmation token. Approving uses this token, so that the token still works only once. */
    tokenHash: text("token_hash").notNull(),
    kind: text().$type<"schedule" | "edit" | "bulk">().notNull(),
    /** The whole PostPlan as JSON. */
    plan: text().notNull(),
    /**
     * Hash of what the person approves: the hash of a new post's PostPlan, or for an edit a hash over the hashes of its
     * posts.
     */
    planHash: text("plan_hash").notNull(),
    requestedBy: text("requested_by", { mode: "json" }).$type<Author>().notNull(),
    via: text().$type<CreatedVia>().notNull(),
    state: text().$type<ApprovalState>().notNull(),
    /** What the person wrote when declining. */
    note: text(),
    postIds: text("post_ids", { mode: "json" }).$type<string[]>(),
    /** Why the plan can no longer be written: the problems that the check at the approval found. */
    details: text({ mode: "json" }).$type<JsonObject[]>(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    decidedAt: integer("decided_at"),
  },
  (t) => [
    uniqueIndex("approvals_token").on(t.userId, t.tokenHash),
    index("approvals_by_state").on(t.userId, t.state, t.expiresAt),
    index("approvals_pending")
      .on(t.expiresAt)
      .where(sql`state = 'pending'`),
    index("approvals_decided")
      .on(t.decidedAt)
      .where(sql`decided_at IS NOT NULL`),
    index("approvals_dropped")
      .on(t.decidedAt)
      .where(sql`state IN ('withdrawn', 'declined')`),
  ],
);

/** Counters of posts per workspace and UTC day. Only triggers on `posts` write them. `WITHOUT ROWID`. */
export const postDays = sqliteTable(
  "post_days",
  {
    workspaceId: text("workspace_id").notNull(),
    /** The day, as a number since 1970, UTC. */
    day: integer().notNull(),
    /**
     * The number of scheduled posts, including publishing ones, so that claiming a post does not write this row.
     * Queries subtract publishing posts, which are few and indexed.
     */
    scheduled: integer().notNull().default(0),
    /** Always 0, because `scheduled` includes publishing posts. */
    publishing: integer().notNull().default(0),
    published: integer().notNull().default(0),
    partiallyFailed: integer("partially_failed").notNull().default(0),
    failed: integer().notNull().default(0),
    paused: integer().notNull().default(0),
    /**
     * The number of scheduled and published posts by quarter hour of the day (0..95). All time zone offsets are
     * multiples of a quarter hour, so this is exact in every zone.
     */
    slots: text({ mode: "json" }).$type<Record<string, number>>().notNull().default({}),
    platforms: text({ mode: "json" }).$type<Record<string, number>>().notNull().default({}),
    /** The number of published targets by lateness in ms (two significant digits). Written when a post finishes. */
    lateness: text({ mode: "json" }).$type<Record<string, number>>().notNull().default({}),
    /**
     * The number of posts by status (or `all`) and time of day. `failed.h13` counts 13:00 to 14:00, `all.q53` counts
     * 13:15 to 13:30. A list that begins within a day adds at most 26 of these numbers.
     */
    times: text({ mode: "json" }).$type<Record<string, number>>().notNull().default({}),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.day] })],
);

/**
 * Sums of `post_days` before a day (`before`) and from a day on (`from`). Triggers on `post_days` update them, and the
 * cron moves `day` forward. Days near today are in neither sum, so most changes of posts do not write here. `WITHOUT
 * ROWID`.
 */
export const postTotals = sqliteTable(
  "post_totals",
  {
    workspaceId: text("workspace_id").notNull(),
    side: text().$type<"before" | "from">().notNull(),
    day: integer().notNull(),
    scheduled: integer().notNull().default(0),
    published: integer().notNull().default(0),
    partiallyFailed: integer("partially_failed").notNull().default(0),
    failed: integer().notNull().default(0),
    paused: integer().notNull().default(0),
    platforms: text({ mode: "json" }).$type<Record<string, number>>().notNull().default({}),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.side] })],
);

/**
 * `uploading`: waits for bytes. `storing`: the hash is known, and R2 is being written. `ready`: can be used.
 * `expiring`: unused for the retention time, so previews do not find it, but it is still served. `removing`: R2 is
 * deleting the bytes, so no upload may reuse the hash.
 */
export type MediaState = "uploading" | "storing" | "ready" | "expiring" | "removing";

export const media = sqliteTable(
  "media",
  {
    /** A random UUIDv4, because nobody must guess a media URL. */
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    workspaceId: text("workspace_id").notNull(),
    state: text().$type<MediaState>().notNull(),
    type: text().$type<MediaType>().notNull(),
    contentType: text("content_type").notNull(),
    filename: text().notNull(),
    sizeBytes: integer("size_bytes").notNull(),
    width: integer(),
    height: integer(),
    durationMs: integer("duration_ms"),
    /**
     * SHA-256 in hexadecimal of the file's bytes, which R2 stores as `media/{sha256}`. Null until the upload is
     * complete.
     */
    sha256: text(),
    /** Further properties of the file that a preview checks: codec, frame rate, orientation. */
    facts: text({ mode: "json" }).$type<JsonObject>().notNull(),
    createdAt: integer("created_at").notNull(),
    /** When (ms) the clean-up next checks whether a post uses the file. */
    sweepAt: integer("sweep_at").notNull(),
  },
  (t) => [
    uniqueIndex("media_content")
      .on(t.workspaceId, t.sha256)
      .where(sql`sha256 IS NOT NULL`),
    index("media_by_hash")
      .on(t.sha256)
      .where(sql`sha256 IS NOT NULL`),
    index("media_sweep").on(t.sweepAt),
    index("media_library")
      .on(t.workspaceId, t.createdAt, t.id)
      .where(sql`state = 'ready'`),
  ],
);

/**
 * One file of archived posts in R2, for a workspace and a month (UTC). A post is archived if and only if a row here
 * covers it. `WITHOUT ROWID`; the columns that lists read come first.
 */
export const archiveParts = sqliteTable(
  "archive_parts",
  {
    workspaceId: text("workspace_id").notNull(),
    /** The time (ms) of the first post in the file. `last_at` is that of the last post. */
    firstAt: integer("first_at").notNull(),
    id: text().notNull(),
    userId: text("user_id").notNull(),
    lastAt: integer("last_at").notNull(),
    published: integer().notNull(),
    partiallyFailed: integer("partially_failed").notNull(),
    failed: integer().notNull(),
    sizeBytes: integer("size_bytes").notNull(),
    createdAt: integer("created_at").notNull(),
    /** The lowest post id in the file. `last_id` is the highest. */
    firstId: text("first_id").notNull(),
    lastId: text("last_id").notNull(),
    /** The accounts of the posts in the file, by which a person's data are found. */
    accounts: text({ mode: "json" }).$type<string[]>().notNull(),
    /** The random last eight bytes of every post id in the file, by which an archived post is found. */
    ids: blob({ mode: "buffer" }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.firstAt, t.id] })],
);

/**
 * Archive files in R2 without a row in `archive_parts`, left by an interrupted run or by a restored database. `WITHOUT
 * ROWID`.
 */
export const archiveOrphans = sqliteTable("archive_orphans", {
  key: text().primaryKey(),
  /**
   * When (ms) the file was first found without a row. It is deleted only later, because another restore may bring its
   * row back.
   */
  seenAt: integer("seen_at").notNull(),
});

/** Copies of images that were made to fit platforms, by the image's hash and the recipe. `WITHOUT ROWID`. */
export const mediaFits = sqliteTable(
  "media_fits",
  {
    workspaceId: text("workspace_id").notNull(),
    sourceSha256: text("source_sha256").notNull(),
    /** How the copy was made. It names no platform, so that platforms with equal rules share one copy. */
    recipe: text().notNull(),
    /** The media item of the copy. A trigger deletes this row together with it. */
    mediaId: text("media_id").notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.sourceSha256, t.recipe] }), index("media_fits_media").on(t.mediaId)],
);

/** Posts that a user is still writing, as members of a preview's body. They may be invalid. */
export const drafts = sqliteTable(
  "drafts",
  {
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    workspaceId: text("workspace_id").notNull(),
    /** The draft's version, which begins at 1 and rises with every change. */
    version: integer().notNull(),
    content: text({ mode: "json" }).$type<JsonObject>().notNull(),
    /** The ids of stored media in the content, from which a trigger writes `draft_media`. */
    mediaIds: text("media_ids", { mode: "json" }).$type<string[]>().notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (t) => [
    index("drafts_workspace").on(t.workspaceId, t.updatedAt, t.id),
    index("drafts_idle").on(t.updatedAt),
    // The draft's time as the client sent it, in any time zone. Such a text begins with the day.
    index("drafts_by_day")
      .on(t.workspaceId, sql`content ->> '$.scheduled_at'`)
      .where(sql`content ->> '$.scheduled_at' IS NOT NULL`),
  ],
);

/**
 * Which drafts use a media item. A media id may belong to an unfinished upload. Only triggers write this table.
 * `WITHOUT ROWID`.
 */
export const draftMedia = sqliteTable(
  "draft_media",
  {
    mediaId: text("media_id").notNull(),
    workspaceId: text("workspace_id").notNull(),
    draftId: text("draft_id").notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.mediaId, t.draftId] }), index("draft_media_draft").on(t.draftId)],
);

/** Which posts use a media item. The clean-up keeps a file while rows refer to it. `WITHOUT ROWID`. */
export const postMedia = sqliteTable(
  "post_media",
  { mediaId: text("media_id").notNull(), postId: text("post_id").notNull() },
  (t) => [primaryKey({ columns: [t.mediaId, t.postId] }), index("post_media_post").on(t.postId)],
);

/** The stored bytes of each workspace, so that a check of the plan's limit reads one row. */
export const storageUse = sqliteTable("storage_use", {
  workspaceId: text("workspace_id").primaryKey(),
  bytes: integer().notNull(),
});

export const uploads = sqliteTable(
  "uploads",
  {
    /** The media id that the client got at the start of the upload. */
    id: text().primaryKey(),
    /** The media id of the result. It differs from `id` if the workspace already has a file with the same bytes. */
    mediaId: text("media_id").notNull(),
    userId: text("user_id").notNull(),
    workspaceId: text("workspace_id").notNull(),
    contentType: text("content_type").notNull(),
    sizeBytes: integer("size_bytes").notNull(),
    partSizeBytes: integer("part_size_bytes").notNull(),
    /** The R2 key of each uploaded part, by part number. The keys begin with `incoming/`. */
    parts: text({ mode: "json" }).$type<Record<string, string>>().notNull(),
    state: text().$type<"open" | "complete">().notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (t) => [index("uploads_expiry").on(t.expiresAt), index("uploads_media").on(t.mediaId)],
);

/**
 * How often a user did something in one hour, for the hourly limits. The hour is first in the key, so that the clean-up
 * deletes one range. `WITHOUT ROWID`.
 */
export const hourlyUse = sqliteTable(
  "hourly_use",
  {
    /** The hour, as a number since 1970. */
    hour: integer().notNull(),
    userId: text("user_id").notNull(),
    /** What is counted: `previews`, `long_texts`, `conversions`, `media_fetches` or `media_fetches_of_host:{host}`. */
    name: text().notNull(),
    used: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.hour, t.userId, t.name] })],
);

/** The stored response for a user's `Idempotency-Key`, kept for 24 h. `WITHOUT ROWID`. */
export const idempotencyRecords = sqliteTable(
  "idempotency_records",
  {
    userId: text("user_id").notNull(),
    key: text().notNull(),
    requestHash: text("request_hash").notNull(),
    /** The HTTP status of the stored response. Null while the first call is running. */
    status: integer(),
    /** The encrypted response, if it has at most 8 KiB. */
    body: text(),
    /** The ids (JSON) from which the service builds a larger response again. */
    reference: text(),
    createdAt: integer("created_at").notNull(),
    /** Until when (ms) the first call may run. If it never completes, another call may then use the key. */
    leaseUntil: integer("lease_until").notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.key] }), index("idempotency_age").on(t.createdAt)],
);

/**
 * Why nothing is published after a restore. `restored`: the database is older than the mark in the object
 * DatabaseWatch; the operator must release it. `reviewing`: the operator has released it, and the cron compares posts
 * with their objects.
 */
export type HeldReason = "restored" | "reviewing";

/**
 * One row that shows whether the database was restored to an earlier time (docs/guide/how-it-works.md), and how far the
 * cron's jobs are.
 */
export const service = sqliteTable(
  "service",
  {
    id: integer().primaryKey(),
    /** Rises with every cron run, so that a restored database shows an older value. */
    beat: integer().notNull(),
    /** Rises whenever the operator releases publishing after a restore. */
    epoch: integer().notNull(),
    held: text().$type<HeldReason>(),
    /** The last post that the review after a restore has checked, in the order of ids. */
    reviewedTo: text("reviewed_to").notNull().default(""),
    /** Up to which time (ms) the cron has notified webhook senders of workspaces with new events. */
    webhooksToldAt: integer("webhooks_told_at").notNull().default(0),
    /** The last day (since 1970, UTC) on which the archiving visited every workspace. */
    archivedDay: integer("archived_day").notNull().default(0),
    /** The last workspace that today's archiving has finished, in the order of ids. */
    archivedTo: text("archived_to").notNull().default(""),
    /** When (ms) the operator got the alert that the database is nearly full. Null while it is not. */
    fullToldAt: integer("full_told_at"),
    /** How far the cron is with re-encrypting secrets with the current key, as JSON. Empty before the first pass. */
    resealProgress: text("reseal_progress").notNull().default(""),
  },
  (t) => [check("one_row", sql`${t.id} = 1`)],
);

/**
 * The event log of workspaces that have a webhook or have switched the log on. Triggers write it in the transaction of
 * the change, so no change lacks its event. `WITHOUT ROWID` makes one row write per event.
 */
export const events = sqliteTable(
  "events",
  {
    workspaceId: text("workspace_id").notNull(),
    /**
     * The event's number: microseconds since 1970, or the previous number plus one. It only rises, even after a restore
     * of the database.
     */
    seq: integer().notNull(),
    type: text().$type<EventType>().notNull(),
    /** The id of the post, account, webhook or approval that the event is about. */
    subjectId: text("subject_id").notNull(),
    at: integer().notNull(),
    /** The row of the event's subject at the time of the event. `src/events/` reads it. */
    data: text({ mode: "json" }).$type<JsonObject>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.seq] })],
);

export const eventLogs = sqliteTable(
  "event_logs",
  {
    workspaceId: text("workspace_id").primaryKey(),
    /** Whether the user has switched the log on, so that it is written even without a webhook. */
    switchedOn: integer("switched_on", { mode: "boolean" }).notNull().default(false),
    /** Whether triggers write events: if the log is switched on, or if the workspace has a webhook. */
    recording: integer({ mode: "boolean" }).notNull(),
    /** When (ms) the clean-up next deletes expired events. With the last event it deletes this row. */
    sweepAt: integer("sweep_at").notNull(),
  },
  (t) => [index("event_logs_sweep").on(t.sweepAt)],
);

/**
 * Why a webhook is disabled. `user`: the user did it. `gone`: the receiver answered 410. `failing`: no delivery
 * succeeded for days. `access_ended`: the credential that chose its address was revoked or has expired, or a new
 * password ended it.
 */
export type WebhookDisabledReason = "user" | "gone" | "failing" | "access_ended";

export const webhooks = sqliteTable(
  "webhooks",
  {
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    workspaceId: text("workspace_id").notNull(),
    url: text().notNull(),
    description: text().notNull(),
    /** The event types to deliver, or `*` for all. */
    types: text({ mode: "json" }).$type<(EventType | "*")[]>().notNull(),
    /**
     * The API key or app that last chose the webhook's address. Null for the user in the dashboard. The webhook ends
     * with the key or app.
     */
    madeBy: text("made_by", { mode: "json" }).$type<Author>(),
    /** The encrypted signing secret. A hash would not do, because signing needs the secret itself. */
    sealedSecret: text("sealed_secret").notNull(),
    /**
     * The encrypted secret from before the last rotation. Deliveries are also signed with it until
     * `previous_secret_until`.
     */
    previousSealedSecret: text("previous_sealed_secret"),
    previousSecretUntil: integer("previous_secret_until"),
    /** Events up to this number are not delivered. They are older than the webhook, or than its last "start now". */
    startAfter: integer("start_after").notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    disabledAt: integer("disabled_at"),
    disabledReason: text("disabled_reason").$type<WebhookDisabledReason>(),
  },
  (t) => [
    index("webhooks_workspace").on(t.workspaceId),
    index("webhooks_enabled")
      .on(t.workspaceId, t.id)
      .where(sql`disabled_at IS NULL`),
  ],
);

/**
 * Problems that the owner of a workspace should solve. Triggers write them; mail and dashboard show them until they are
 * solved. A new failure of the same subject replaces the old notice. `WITHOUT ROWID`.
 */
export const notices = sqliteTable(
  "notices",
  {
    workspaceId: text("workspace_id").notNull(),
    kind: text().$type<AlertKind>().notNull(),
    subjectId: text("subject_id").notNull(),
    at: integer().notNull(),
    /** When (ms) the notice was mailed, or skipped because the user wants no mail of its kind. */
    mailedAt: integer("mailed_at"),
    dismissedAt: integer("dismissed_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.kind, t.subjectId] }),
    index("notices_unmailed")
      .on(t.workspaceId, t.at)
      .where(sql`mailed_at IS NULL`),
    index("notices_open")
      .on(t.workspaceId, t.at)
      .where(sql`dismissed_at IS NULL`),
    index("notices_age").on(t.at),
  ],
);

export interface StoredSlot {
  /** The day of the week; 0 is Monday. */
  readonly weekday: number;
  /** The time of day as `HH:MM`, in the workspace's time zone. */
  readonly time: string;
}

/**
 * The times of the week at which a workspace prefers to post (slots). A workspace without any has no row. `WITHOUT
 * ROWID`.
 */
export const scheduleSlots = sqliteTable("schedule_slots", {
  workspaceId: text("workspace_id").primaryKey(),
  timeZone: text("time_zone").notNull(),
  slots: text({ mode: "json" }).$type<StoredSlot[]>().notNull(),
  updatedAt: integer("updated_at").notNull(),
});

export const calendarFeeds = sqliteTable(
  "calendar_feeds",
  {
    /** Hash of the secret in the URL of the calendar feed. */
    hash: text().primaryKey(),
    workspaceId: text("workspace_id").notNull(),
    userId: text("user_id").notNull(),
    createdAt: integer("created_at").notNull(),
    /**
     * How often something that the feed shows has changed. Triggers count it, so that an unchanged feed is answered
     * without reading posts.
     */
    changes: integer().notNull().default(0),
  },
  (t) => [index("calendar_feeds_workspace").on(t.workspaceId)],
);

/** Hourly figures of the whole installation, which the cron counts. src/metrics/ explains each. `WITHOUT ROWID`. */
export const serviceHours = sqliteTable(
  "service_hours",
  {
    /** The hour, as a number since 1970. */
    hour: integer().notNull(),
    metric: text().notNull(),
    /** What the figure counts, from general to specific: `x.failed.duplicate_content`. */
    label: text().notNull(),
    count: integer().notNull(),
    sum: integer().notNull().default(0),
    /** Only for lateness: how many targets had each lateness in ms (two significant digits). */
    buckets: text({ mode: "json" }).$type<Record<string, number>>().notNull().default({}),
  },
  (t) => [primaryKey({ columns: [t.hour, t.metric, t.label] })],
);

/** One row that says how far the cron has counted the figures, and when it last began to send alerts to operators. */
export const serviceProgress = sqliteTable(
  "service_progress",
  {
    id: integer().primaryKey(),
    /**
     * Posts that are due soon or have not ended, as `[id, since]`. When such a post ends, the cron counts its results
     * since then.
     */
    noted: text({ mode: "json" }).$type<[string, number][]>().notNull().default([]),
    /** The rowid of the newest post that the cron has seen. */
    postsTo: integer("posts_to").notNull().default(0),
    /** The time (ms) of the last notice that the cron has counted. */
    noticesTo: integer("notices_to").notNull().default(0),
    /**
     * When (ms) a cron run last began to mail alerts. It spaces the mails and keeps a parallel run from sending the
     * same mail.
     */
    mailBegunAt: integer("mail_begun_at").notNull().default(0),
    webhookBegunAt: integer("webhook_begun_at").notNull().default(0),
  },
  (t) => [check("one_progress", sql`${t.id} = 1`)],
);

/**
 * Posts that a change made due within minutes. Such a post can begin and end between two cron runs, which would then
 * miss it. A trigger writes the rows. `WITHOUT ROWID`.
 */
export const broughtForward = sqliteTable("brought_forward", {
  postId: text("post_id").primaryKey(),
  at: integer().notNull(),
});

/** Conditions of the installation that operators should act on. `WITHOUT ROWID`. */
export const operatorAlerts = sqliteTable(
  "operator_alerts",
  {
    kind: text().$type<OperatorAlertKind>().notNull(),
    /** What the alert is about, if its kind has several subjects: a platform or a limit. */
    label: text().notNull(),
    state: text().$type<OperatorAlertState>().notNull(),
    since: integer().notNull(),
    /** Since when (ms) the alert's condition is false; null while it is true. */
    calmSince: integer("calm_since"),
    /** When (ms) the alert was last raised, repeated or cleared. */
    changedAt: integer("changed_at").notNull(),
    /** The `changed_at` (ms) that the last mail to operators reported. */
    mailed: integer().notNull().default(0),
    /** The `changed_at` (ms) that the alert webhook last received. */
    posted: integer().notNull().default(0),
    /** The measured figures of the alert, as a sentence. */
    detail: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.kind, t.label] })],
);
