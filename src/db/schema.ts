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

/*
 * Instants are integers in milliseconds since 1970 (UTC); of secrets only the hex SHA-256 is stored; lists and objects are JSON.
 * No foreign key cascades and no migration rebuilds a table, because that silently deletes child rows and triggers
 * (docs/guide/storage.md).
 */

export type UserRole = "operator";

export const users = sqliteTable(
  "users",
  {
    id: text().primaryKey(),
    email: text().notNull(),
    passwordHash: text("password_hash"),
    activeWorkspaceId: text("active_workspace_id").notNull(),
    timeZone: text("time_zone").notNull().default("UTC"),
    // No longer used; the previous version of the service still writes both.
    failedLogins: integer("failed_logins").notNull().default(0),
    nextLoginAt: integer("next_login_at"),
    emailVerifiedAt: integer("email_verified_at"),
    createdAt: integer("created_at").notNull(),
    /** The kinds of alerts that the user does not want by mail. */
    mutedAlerts: text("muted_alerts", { mode: "json" }).$type<AlertKind[]>().notNull().default([]),
    /** `operator`: sees how the installation runs and is told when something is wrong with it. The first user is one. */
    role: text().$type<UserRole>(),
    /** Since when the operator lets nobody in as this user; null for everybody else. */
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
    /** End of the trial, of the paid period or of the grace period, depending on `status`. */
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
    /** Which database has its posts, the same for all workspaces of a user; so far there is only the first. */
    shard: integer().notNull().default(0),
    /** Whether a person must identify again before approving what an agent asks for. */
    approvalReauthentication: integer("approval_reauthentication", { mode: "boolean" }).notNull().default(false),
    /** When the last mail with notices was begun; it is both the interval between two mails and the lease of the cron run that sends one. */
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
    /** When the user last entered the password or used a passkey in this session. */
    authenticatedAt: integer("authenticated_at").notNull().default(0),
  },
  (t) => [index("sessions_user").on(t.userId), index("sessions_expiry").on(t.expiresAt)],
);

/** The key is a hash, because people also mistype addresses of others; rows exist for known and unknown addresses alike. */
export const signInAttempts = sqliteTable(
  "sign_in_attempts",
  {
    emailHash: text("email_hash").primaryKey(),
    failures: integer().notNull(),
    nextAttemptAt: integer("next_attempt_at"),
    updatedAt: integer("updated_at").notNull(),
  },
  (t) => [index("sign_in_attempts_updated").on(t.updatedAt)],
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
    /** Who confirms the previews of this key. */
    confirms: text().$type<Confirms>().notNull().default("self"),
  },
  (t) => [uniqueIndex("api_keys_hash").on(t.hash), index("api_keys_user").on(t.userId)],
);

export const passkeys = sqliteTable(
  "passkeys",
  {
    /** The credential id, base64url. */
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    name: text().notNull(),
    /** COSE public key, base64url. */
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
        // No token: until it expires, no further mail about approvals is sent to the user.
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
    /** A UUID, or the https URL of a client id metadata document. */
    id: text().primaryKey(),
    kind: text().$type<"registered" | "dynamic" | "metadata_document">().notNull(),
    name: text().notNull(),
    uri: text(),
    redirectUris: text("redirect_uris", { mode: "json" }).$type<string[]>().notNull(),
    /** A client is public exactly when this is null. */
    secretHash: text("secret_hash"),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at"),
  },
  (t) => [
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
    /** Who confirms the previews of this app; grants from before the column was added confirm themselves. */
    confirms: text().$type<Confirms>().notNull().default("self"),
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

/** One OAuth login at a platform, with the tokens for all accounts that it gives access to. */
export const connections = sqliteTable(
  "connections",
  {
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    workspaceId: text("workspace_id").notNull(),
    platform: text().$type<Platform>().notNull(),
    /** The platform's id of the user who logged in; text, because some exceed 2^53. */
    externalId: text("external_id").notNull(),
    /** The platform's id of the person whose grant the tokens belong to, where several logins share one. */
    grantOwner: text("grant_owner"),
    displayName: text("display_name").notNull(),
    /** The tokens as AES-GCM encrypted JSON; null once erased. */
    sealedTokens: text("sealed_tokens"),
    /** Incremented with every stored token pair; refreshes use it as a compare-and-set guard. */
    tokenVersion: integer("token_version").notNull().default(1),
    /** Set while one caller refreshes the tokens; in the past it counts as free. */
    refreshLeaseUntil: integer("refresh_lease_until"),
    scopes: text({ mode: "json" }).$type<string[]>().notNull(),
    tokenExpiresAt: integer("token_expires_at"),
    refreshExpiresAt: integer("refresh_expires_at"),
    status: text().$type<AccountStatus>().notNull(),
    statusReason: text("status_reason"),
    connectedAt: integer("connected_at").notNull(),
    lastSyncedAt: integer("last_synced_at"),
    /** When the cron syncs it next; null when nothing has to be kept alive. */
    nextSyncAt: integer("next_sync_at"),
    /** Consecutive syncs without an answer of the platform; they lengthen the wait for the next one. */
    syncFailures: integer("sync_failures").notNull().default(0),
    /** When the login expires unless the user logs in again; null while it is renewed automatically. */
    endsAt: integer("ends_at"),
    /** The `ends_at` that the owner has been told of; writing it records the events. */
    endAnnounced: integer("end_announced"),
  },
  (t) => [
    uniqueIndex("connections_login").on(t.workspaceId, t.platform, t.externalId),
    index("connections_sync")
      .on(t.nextSyncAt)
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
    /** What the platform allows this account (longer texts, privacy levels); written and read by the adapter. */
    capabilities: text({ mode: "json" }).$type<JsonObject>().notNull(),
    /** The AES-GCM encrypted token of this account alone (a Page token); null where the connection's token is used. */
    sealedToken: text("sealed_token"),
    missingScopes: text("missing_scopes", { mode: "json" }).$type<string[]>().notNull(),
    status: text().$type<AccountStatus>().notNull(),
    statusReason: text("status_reason"),
    /** What caused `needs_reconnect`: a sync of the login (a later sync may clear it) or a refused post (only a new login may). */
    blockedBy: text("blocked_by").$type<"listing" | "post">(),
    connectedAt: integer("connected_at").notNull(),
    lastSyncedAt: integer("last_synced_at"),
    /** Set by disconnect; the row is kept so that a reconnect reuses the id. */
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

/** The single-use `state` of an OAuth login in progress. */
export const connectStates = sqliteTable(
  "connect_states",
  {
    hash: text().primaryKey(),
    userId: text("user_id").notNull(),
    workspaceId: text("workspace_id").notNull(),
    platform: text().$type<Platform>().notNull(),
    /** Sealed; empty until the login was started in a browser. */
    codeVerifier: text("code_verifier").notNull(),
    expiresAt: integer("expires_at").notNull(),
    usedAt: integer("used_at"),
    /** The kind of connect method that was started last. */
    method: text(),
    /** The values that the caller of the API gave, without secrets. */
    input: text({ mode: "json" }).$type<Record<string, string>>(),
    /** What the platform's adapter needs again in the callback; sealed. */
    sealedStarted: text("sealed_started"),
    /** Hash of the cookie of the browser that started the login: only that browser can finish it. */
    browserHash: text("browser_hash"),
  },
  (t) => [index("connect_states_expiry").on(t.expiresAt)],
);

/** A platform's requests to delete a person's data, answered with a code under which the person sees what was done. */
export const dataDeletions = sqliteTable(
  "data_deletions",
  {
    /** 128 random bits; part of a public address. */
    code: text().primaryKey(),
    platform: text().$type<Platform>().notNull(),
    /** Hash of platform and person: a repeated request gets the same code. */
    personHash: text("person_hash").notNull(),
    /** The platform's id of the person until the data are deleted; null afterwards. */
    externalId: text("external_id"),
    /** When the platform signed the newest request; newer logins are not deleted. */
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
 * Users whose deletion was asked for, until everything of them is erased: a row is what makes the cron do it, whoever inserted it. It can be
 * withdrawn until `erasing_at` is set.
 */
export const userDeletions = sqliteTable(
  "user_deletions",
  {
    userId: text("user_id").primaryKey(),
    /** `person`: in the dashboard. `operator`: with `npm run user`. `restore`: the user came back with a database that was put back. */
    requestedBy: text("requested_by").$type<"person" | "operator" | "restore">().notNull(),
    requestedAt: integer("requested_at").notNull(),
    /** When the data are erased. */
    dueAt: integer("due_at").notNull(),
    /** When the cron looks at it next; while it works on it, when another run takes over. */
    nextRunAt: integer("next_run_at").notNull(),
    /** When everything that ends with the request had ended: posts, logins, webhooks, payment. */
    stoppedAt: integer("stopped_at"),
    /** When the mail of the day before was sent. */
    remindedAt: integer("reminded_at"),
    /** When erasing began. */
    erasingAt: integer("erasing_at"),
    /** When no row and no file was left; both are looked for once more some time later. */
    erasedAt: integer("erased_at"),
    /** The ids of the user's workspaces, by which files are found when the rows are gone. */
    workspaceIds: text("workspace_ids", { mode: "json" }).$type<string[]>().notNull().default([]),
  },
  (t) => [index("user_deletions_next").on(t.nextRunAt)],
);

/** Who was deleted, for a database that is put back to before that: `npm run restore` asks for the deletion again. `WITHOUT ROWID`. */
export const deletions = sqliteTable("deletions", {
  /** Hex SHA-256 of `user:` and the user's id, which is random. */
  userHash: text("user_hash").primaryKey(),
  erasedAt: integer("erased_at").notNull(),
});

/** The files of one download of everything that belongs to a user; made anew at each download, so that nothing is stored twice. */
export const dataExports = sqliteTable(
  "data_exports",
  {
    userId: text("user_id").primaryKey(),
    id: text().notNull(),
    /** Only the browser in which the user asked for it can download it. */
    sessionHash: text("session_hash").notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    /** What each file holds. */
    files: text({ mode: "json" }).$type<JsonValue>().notNull(),
  },
  (t) => [index("data_exports_expiry").on(t.expiresAt)],
);

/** The app credentials that one server gave to this service; sealed. */
export const appRegistrations = sqliteTable(
  "app_registrations",
  {
    platform: text().$type<Platform>().notNull(),
    /** A host name. */
    server: text().notNull(),
    sealed: text().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.platform, t.server] })],
);

/** Why a target failed or cannot be confirmed. */
export interface StoredTargetError {
  readonly code: TargetErrorCode;
  readonly category: string;
  readonly message: string;
  readonly platformCode: string | null;
  readonly retryable: boolean;
  readonly whoMustAct: "user" | "operator" | "platform" | "nobody";
}

/** What became of something that was added to a post once it was public. */
export interface StoredExtra {
  readonly status: ExtraStatus;
  readonly id: string | null;
  readonly url: string | null;
  readonly error: StoredTargetError | null;
}

/** By name, with those that the target has. */
export type StoredExtras = Readonly<Partial<Record<ExtraName, StoredExtra>>>;

/** One entry of the history of publishing a target. */
export interface StoredAttempt {
  readonly at: number;
  readonly step: string;
  readonly outcome: string;
  readonly httpStatus: number | null;
  readonly platformCode: string | null;
  readonly message: string | null;
  readonly nextAttemptAt: number | null;
}

/** One entry of what was changed in a post, when and by whom; texts are shortened. */
export interface StoredPostChange {
  readonly at: number;
  /** The version of the post after the change. */
  readonly version: number;
  /** How the request came; null for what the service did by itself. */
  readonly via: CreatedVia | null;
  /** The API key or app; null for the dashboard and for the service. */
  readonly by: Author | null;
  readonly what: PostChangeKind;
  /** Why a post was paused or, where the service resumed it, had been paused. */
  readonly reason?: PausedReason;
  readonly accountId?: string;
  readonly fields?: readonly StoredFieldChange[];
  /** How many further fields an edit changed. */
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

/** A media item as it was when the post was previewed; the bytes are in R2 under their hash. */
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
  /** What the post says of it to people who cannot see it: part of the use, not of the file. Absent when the post says nothing. */
  readonly altText?: string;
  /** The cover of a video; absent: the platform chooses one. */
  readonly cover?: StoredCover;
  /** One account publishes it instead of the media of the post. Absent on the media of the post, and on copies of them. */
  readonly own?: true;
  /** Of a copy that was made to fit a platform: the id of the file it was made of, and why; with the file itself where only this account names it. */
  readonly fitted?: { readonly from: string; readonly reason: FitReason; readonly source?: StoredMediaItem };
}

/** A moment of the video or a picture; exactly one of them is set. */
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
    /** Incremented by every edit, cancel, pause and resume; orders arm hints and guards edits. */
    version: integer().notNull(),
    /** The run that claimed the post; guards every write of results. */
    runId: text("run_id"),
    /** When the reconciler must check the post; null exactly when nothing can be overdue (SCHEDULING.md S4). */
    watchAt: integer("watch_at"),
    postType: text("post_type").$type<PostType>().notNull(),
    caption: text().notNull(),
    media: text({ mode: "json" }).$type<StoredMediaItem[]>().notNull(),
    /** The distinct platforms of the targets, for the day counters. */
    platforms: text({ mode: "json" }).$type<Platform[]>().notNull(),
    planHash: text("plan_hash").notNull(),
    /** Hash of the confirmation token that made the post, and of the nonce of the call: two calls with one token are told apart by it. */
    confirmHash: text("confirm_hash").notNull(),
    createdVia: text("created_via").$type<CreatedVia>().notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    finishedAt: integer("finished_at"),
    /** The API key or app that made it; null for the dashboard, and for posts from before the column was added. */
    createdBy: text("created_by", { mode: "json" }).$type<Author>(),
    /** The newest 50 changes, oldest first; not a table of its own, because this row is written anyway. */
    changes: text({ mode: "json" }).$type<StoredPostChange[]>(),
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

/** `WITHOUT ROWID`, written into the migration by hand, saves one of two row writes per target. */
export const postTargets = sqliteTable(
  "post_targets",
  {
    postId: text("post_id").notNull(),
    accountId: text("account_id").notNull(),
    /** The place in the request; targets from before the column was added have 0 and keep the order of their account ids. */
    position: integer().notNull().default(0),
    platform: text().$type<Platform>().notNull(),
    username: text().notNull(),
    caption: text(),
    effectiveCaption: text("effective_caption").notNull(),
    /** The requested options with defaults filled in; exactly what the adapter receives. */
    options: text({ mode: "json" }).$type<JsonObject>().notNull(),
    /** The requested options without defaults: edits start from these, so that defaults are computed anew each time. */
    requestedOptions: text("asked", { mode: "json" }).$type<JsonObject>(),
    state: text().$type<TargetState>().notNull(),
    dueAt: integer("due_at").notNull(),
    startedAt: integer("started_at"),
    publishedAt: integer("published_at"),
    attempts: integer().notNull().default(0),
    nextAttemptAt: integer("next_attempt_at"),
    remoteId: text("remote_id"),
    remoteUrl: text("remote_url"),
    error: text({ mode: "json" }).$type<StoredTargetError>(),
    /** What this account publishes where that are not the media of the post: copies that were made to fit its platform. */
    media: text({ mode: "json" }).$type<StoredMediaItem[]>(),
    /** The published parts of a target that needs several (one pin per board), so that a retry never repeats them. */
    progress: text({ mode: "json" }).$type<JsonValue>(),
    /** What became of what was added to the post once it was public; null where nothing is. */
    extras: text({ mode: "json" }).$type<StoredExtras>(),
    /** The newest 50 attempts, oldest first; not a table of its own, because this row is written anyway. */
    history: text({ mode: "json" }).$type<StoredAttempt[]>().notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.postId, t.accountId] }), index("post_targets_by_account").on(t.accountId, t.dueAt)],
);

/** What the makers of a post note about it: never published. A post without has no row. `WITHOUT ROWID`. */
export const postAnnotations = sqliteTable(
  "post_annotations",
  {
    workspaceId: text("workspace_id").notNull(),
    postId: text("post_id").notNull(),
    /** That of the post, which a trigger keeps: lists are ordered by it. */
    scheduledAt: integer("scheduled_at").notNull(),
    externalId: text("external_id"),
    metadata: text({ mode: "json" }).$type<Readonly<Record<string, string>>>().notNull(),
    labels: text({ mode: "json" }).$type<readonly string[]>().notNull(),
    notes: text(),
    updatedAt: integer("updated_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.postId] })],
);

/** The posts by their external id and by each of their labels; written by triggers only. `WITHOUT ROWID`. */
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

/** Makes the token of an edit single-use, and the edit all-or-nothing (SCHEDULING.md 3.3); a new post needs no row. `WITHOUT ROWID`. */
export const confirmations = sqliteTable(
  "confirmations",
  {
    /** Hours since 1970 at issue; first in the key, so that cleaning up is a range delete. */
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

/** A plan that a credential may not confirm itself: a person decides about it in the dashboard. */
export const approvals = sqliteTable(
  "approvals",
  {
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    workspaceId: text("workspace_id").notNull(),
    /** Hash of the confirmation token; the posts are committed under it, so that the token remains single-use. */
    tokenHash: text("token_hash").notNull(),
    kind: text().$type<"schedule" | "edit" | "bulk">().notNull(),
    /** The whole plan as the token held it, as JSON. */
    plan: text().notNull(),
    /** What the person sees and approves: of a new post its own hash, of an edit a hash over those of its posts. */
    planHash: text("plan_hash").notNull(),
    requestedBy: text("requested_by", { mode: "json" }).$type<Author>().notNull(),
    via: text().$type<CreatedVia>().notNull(),
    state: text().$type<ApprovalState>().notNull(),
    /** The person's words on declining. */
    note: text(),
    postIds: text("post_ids", { mode: "json" }).$type<string[]>(),
    /** Why it became stale: the problems of the second check. */
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
  ],
);

/** Counters per workspace and UTC day, maintained by triggers on posts (never written by code). `WITHOUT ROWID`. */
export const postDays = sqliteTable(
  "post_days",
  {
    workspaceId: text("workspace_id").notNull(),
    /** Days since 1970, UTC. */
    day: integer().notNull(),
    /** Publishing posts are counted as scheduled, so that a claim does not write this row; few are, and an index finds them. */
    scheduled: integer().notNull().default(0),
    /** Always 0; read by the release before. */
    publishing: integer().notNull().default(0),
    published: integer().notNull().default(0),
    partiallyFailed: integer("partially_failed").notNull().default(0),
    failed: integer().notNull().default(0),
    paused: integer().notNull().default(0),
    /** Number of scheduled and published posts by quarter hour of the day (0..95), which is exact in every time zone. */
    slots: text({ mode: "json" }).$type<Record<string, number>>().notNull().default({}),
    /** Number of scheduled posts by platform. */
    platforms: text({ mode: "json" }).$type<Record<string, number>>().notNull().default({}),
    /** Number of published targets by lateness in ms (two significant digits); written when a post finishes. */
    lateness: text({ mode: "json" }).$type<Record<string, number>>().notNull().default({}),
    /**
     * Number of posts by time of day, of each status and of `all`: `failed.h13` from 13:00 to 14:00, `all.q53` from 13:15 to 13:30. A list
     * that begins within a day adds at most 26 of them.
     */
    times: text({ mode: "json" }).$type<Record<string, number>>().notNull().default({}),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.day] })],
);

/**
 * The sums of `post_days` on one side of a day: `before` that day, or `from` it on. Kept by triggers on `post_days`, and `day` is moved
 * on by the cron: what is near the present is in neither, so that most changes of posts do not write here. `WITHOUT ROWID`.
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
 * `uploading`: waits for bytes. `storing`: the hash is known, the object is being written. `ready`. `expiring`: unused for
 * the retention time, hidden from previews, still served. `removing`: the object is being deleted; the hash must not be reused.
 */
export type MediaState = "uploading" | "storing" | "ready" | "expiring" | "removing";

export const media = sqliteTable(
  "media",
  {
    /** A random UUIDv4, because media URLs must not be guessable. */
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
    /** Hex SHA-256 of the bytes, and their R2 key `media/{sha256}`; null until complete. */
    sha256: text(),
    /** Further properties that validation reads: codec, frame rate, orientation. */
    facts: text({ mode: "json" }).$type<JsonObject>().notNull(),
    createdAt: integer("created_at").notNull(),
    /** When the sweep checks whether a post still uses it. */
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
 * One file of archived posts in R2, of one workspace and one month (UTC): a row here is what makes its posts archived. `WITHOUT ROWID`; what
 * lists read comes first.
 */
export const archiveParts = sqliteTable(
  "archive_parts",
  {
    workspaceId: text("workspace_id").notNull(),
    /** The time of its first post; with the last one the range in which it has any. */
    firstAt: integer("first_at").notNull(),
    id: text().notNull(),
    userId: text("user_id").notNull(),
    lastAt: integer("last_at").notNull(),
    published: integer().notNull(),
    partiallyFailed: integer("partially_failed").notNull(),
    failed: integer().notNull(),
    sizeBytes: integer("size_bytes").notNull(),
    createdAt: integer("created_at").notNull(),
    /** The lowest and the highest id of its posts. */
    firstId: text("first_id").notNull(),
    lastId: text("last_id").notNull(),
    /** The accounts of its posts, so that data about a person are found. */
    accounts: text({ mode: "json" }).$type<string[]>().notNull(),
    /** The random eight bytes of the id of every post, so that a post is found by its id. */
    ids: blob({ mode: "buffer" }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.firstAt, t.id] })],
);

/** A file in R2 without a row in `archive_parts`: of an interrupted run, or of a database that was put back. `WITHOUT ROWID`. */
export const archiveOrphans = sqliteTable("archive_orphans", {
  key: text().primaryKey(),
  /** It is deleted some time later, because the row may come back with a database that is put back once more. */
  seenAt: integer("seen_at").notNull(),
});

/** The copies that were made of images so that platforms take them, by the bytes of the image and how they were made. `WITHOUT ROWID`. */
export const mediaFits = sqliteTable(
  "media_fits",
  {
    workspaceId: text("workspace_id").notNull(),
    sourceSha256: text("source_sha256").notNull(),
    /** Names no platform, so that platforms with equal demands share a copy. */
    recipe: text().notNull(),
    /** Deleted with this media item, by a trigger. */
    mediaId: text("media_id").notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.sourceSha256, t.recipe] }), index("media_fits_media").on(t.mediaId)],
);

/** What somebody is still working on: members of a preview's body, whatever is wrong with them. */
export const drafts = sqliteTable(
  "drafts",
  {
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    workspaceId: text("workspace_id").notNull(),
    /** Counts the changes from 1. */
    version: integer().notNull(),
    content: text({ mode: "json" }).$type<JsonObject>().notNull(),
    /** The ids of the service's own media in the content, by which a trigger writes `draft_media`. */
    mediaIds: text("media_ids", { mode: "json" }).$type<string[]>().notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (t) => [index("drafts_workspace").on(t.workspaceId, t.updatedAt, t.id), index("drafts_idle").on(t.updatedAt)],
);

/** Which drafts name a media item, also by the id of an upload; written by triggers. `WITHOUT ROWID`. */
export const draftMedia = sqliteTable(
  "draft_media",
  {
    mediaId: text("media_id").notNull(),
    workspaceId: text("workspace_id").notNull(),
    draftId: text("draft_id").notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.mediaId, t.draftId] }), index("draft_media_draft").on(t.draftId)],
);

/** Which posts use a media item; reference counts are computed from it. `WITHOUT ROWID`. */
export const postMedia = sqliteTable(
  "post_media",
  { mediaId: text("media_id").notNull(), postId: text("post_id").notNull() },
  (t) => [primaryKey({ columns: [t.mediaId, t.postId] }), index("post_media_post").on(t.postId)],
);

/** Stored bytes per workspace, so that checking the plan's limit reads one row. */
export const storageUse = sqliteTable("storage_use", {
  workspaceId: text("workspace_id").primaryKey(),
  bytes: integer().notNull(),
});

export const uploads = sqliteTable(
  "uploads",
  {
    /** The media id that was returned when the upload started. */
    id: text().primaryKey(),
    /** The same id, or that of an existing item of the workspace with the same bytes. */
    mediaId: text("media_id").notNull(),
    userId: text("user_id").notNull(),
    workspaceId: text("workspace_id").notNull(),
    contentType: text("content_type").notNull(),
    sizeBytes: integer("size_bytes").notNull(),
    partSizeBytes: integer("part_size_bytes").notNull(),
    /** The key of each part's object under `incoming/`, by part number. */
    parts: text({ mode: "json" }).$type<Record<string, string>>().notNull(),
    state: text().$type<"open" | "complete">().notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (t) => [index("uploads_expiry").on(t.expiresAt), index("uploads_media").on(t.mediaId)],
);

/** What a user did in one hour, for the limits per hour. `WITHOUT ROWID`; the hour leads the key, so that old rows are next to each other. */
export const hourlyUse = sqliteTable(
  "hourly_use",
  {
    /** Hours since 1970. */
    hour: integer().notNull(),
    userId: text("user_id").notNull(),
    /** `previews`, `media_fetches` or `media_fetches_of_host:{host}`. */
    name: text().notNull(),
    used: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.hour, t.userId, t.name] })],
);

/** The stored response for a user's `Idempotency-Key`, for 24 h. `WITHOUT ROWID`. */
export const idempotencyRecords = sqliteTable(
  "idempotency_records",
  {
    userId: text("user_id").notNull(),
    key: text().notNull(),
    requestHash: text("request_hash").notNull(),
    /** Null while the first request is being processed. */
    status: integer(),
    /** The sealed response, of at most 8 KiB. */
    body: text(),
    /** Instead of a larger response: the ids from which it is made again (JSON). */
    reference: text(),
    createdAt: integer("created_at").notNull(),
    /** After this the key is free again if the first request was never completed. */
    leaseUntil: integer("lease_until").notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.key] }), index("idempotency_age").on(t.createdAt)],
);

/**
 * `restored`: the database is behind what the object DatabaseWatch remembers, so nothing is published until the operator releases it.
 * `reviewing`: the operator has, and the cron compares the posts with their objects.
 */
export type HeldReason = "restored" | "reviewing";

/** One row that tells a database that was put back to an earlier time (docs/guide/publishing-reference.md). */
export const service = sqliteTable(
  "service",
  {
    id: integer().primaryKey(),
    /** Rises with every cron run. */
    beat: integer().notNull(),
    /** Rises with every release. */
    epoch: integer().notNull(),
    held: text().$type<HeldReason>(),
    /** The last post that the review has passed, in the order of the ids. */
    reviewedTo: text("reviewed_to").notNull().default(""),
    /** Up to here, the cron has told the senders of webhooks which workspaces have new events. */
    webhooksToldAt: integer("webhooks_told_at").notNull().default(0),
    /** The last day (since 1970, UTC) on which the archiving has passed every workspace. */
    archivedDay: integer("archived_day").notNull().default(0),
    /** The last workspace that the present pass of the archiving has done, in the order of the ids. */
    archivedTo: text("archived_to").notNull().default(""),
    /** When the operator was told that the database is nearly full; null while it is not. */
    fullToldAt: integer("full_told_at"),
    /** How far the sealing of secrets with the present key has come, as JSON; empty before the first pass. */
    resealProgress: text("reseal_progress").notNull().default(""),
  },
  (t) => [check("one_row", sql`${t.id} = 1`)],
);

/**
 * What happened, in order, for workspaces that have a webhook or have switched the log on; written by triggers, so that no
 * change can be without its event. `WITHOUT ROWID`: one row write per event.
 */
export const events = sqliteTable(
  "events",
  {
    workspaceId: text("workspace_id").notNull(),
    /** Microseconds since 1970, or one more than the one before: it only rises, also over a restore of the database. */
    seq: integer().notNull(),
    type: text().$type<EventType>().notNull(),
    /** The id of the post, account, webhook or approval. */
    subjectId: text("subject_id").notNull(),
    at: integer().notNull(),
    /** The row of the subject as it was then; src/events/ reads it. */
    data: text({ mode: "json" }).$type<JsonObject>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.seq] })],
);

export const eventLogs = sqliteTable(
  "event_logs",
  {
    workspaceId: text("workspace_id").primaryKey(),
    /** The user switched the log on; it is kept without any webhook. */
    switchedOn: integer("switched_on", { mode: "boolean" }).notNull().default(false),
    /** Whether events are written: the log is switched on, or the workspace has a webhook. */
    recording: integer({ mode: "boolean" }).notNull(),
    /** When the sweep deletes expired events next; the row goes with the last of them. */
    sweepAt: integer("sweep_at").notNull(),
  },
  (t) => [index("event_logs_sweep").on(t.sweepAt)],
);

/** `user`: switched off. `gone`: the receiver answered 410. `failing`: nothing was delivered for days. */
export type WebhookDisabledReason = "user" | "gone" | "failing";

export const webhooks = sqliteTable(
  "webhooks",
  {
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    workspaceId: text("workspace_id").notNull(),
    url: text().notNull(),
    description: text().notNull(),
    /** Event types, or `*` for all. */
    types: text({ mode: "json" }).$type<(EventType | "*")[]>().notNull(),
    /** The signing secret as AES-GCM encrypted text: it must be read to sign. */
    sealedSecret: text("sealed_secret").notNull(),
    /** The secret before the rotation, which signs too until its time. */
    previousSealedSecret: text("previous_sealed_secret"),
    previousSecretUntil: integer("previous_secret_until"),
    /** Events up to here are not delivered: those before it was made, or before it was enabled again with "start now". */
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
 * What the owner of a workspace should act on; written by triggers, by mail and in the dashboard until it is settled.
 * `WITHOUT ROWID`; a new failure of the same subject replaces the old notice.
 */
export const notices = sqliteTable(
  "notices",
  {
    workspaceId: text("workspace_id").notNull(),
    kind: text().$type<AlertKind>().notNull(),
    subjectId: text("subject_id").notNull(),
    at: integer().notNull(),
    /** When it went out by mail, or was passed over because the user does not want that kind. */
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
  /** 0 is Monday. */
  readonly weekday: number;
  /** `HH:MM` on the clock of the zone. */
  readonly time: string;
}

/** The times of the week at which a workspace likes to post; without any it has no row. `WITHOUT ROWID`. */
export const scheduleSlots = sqliteTable("schedule_slots", {
  workspaceId: text("workspace_id").primaryKey(),
  timeZone: text("time_zone").notNull(),
  slots: text({ mode: "json" }).$type<StoredSlot[]>().notNull(),
  updatedAt: integer("updated_at").notNull(),
});

export const calendarFeeds = sqliteTable(
  "calendar_feeds",
  {
    /** Hash of the secret in the feed's address. */
    hash: text().primaryKey(),
    workspaceId: text("workspace_id").notNull(),
    userId: text("user_id").notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [index("calendar_feeds_workspace").on(t.workspaceId)],
);

/** What happened in the whole installation in one hour, counted by the cron; src/metrics/ says what each metric means. `WITHOUT ROWID`. */
export const serviceHours = sqliteTable(
  "service_hours",
  {
    /** Hours since 1970. */
    hour: integer().notNull(),
    metric: text().notNull(),
    /** What is counted, from the least to the most particular: `x.failed.duplicate_content`. */
    label: text().notNull(),
    count: integer().notNull(),
    sum: integer().notNull().default(0),
    /** Of lateness: how many of each number of ms (two significant digits). */
    buckets: text({ mode: "json" }).$type<Record<string, number>>().notNull().default({}),
  },
  (t) => [primaryKey({ columns: [t.hour, t.metric, t.label] })],
);

/** One row: how far the cron has counted, and when it last began to tell operators of alerts. */
export const serviceProgress = sqliteTable(
  "service_progress",
  {
    id: integer().primaryKey(),
    /** Posts that are due soon or have not ended, as `[id, since]`: what ended since then is counted when they have. */
    noted: text({ mode: "json" }).$type<[string, number][]>().notNull().default([]),
    /** The rowid of the last post that was looked at after its insertion. */
    postsTo: integer("posts_to").notNull().default(0),
    /** The time of the last notice that was counted. */
    noticesTo: integer("notices_to").notNull().default(0),
    /** When the last mail about alerts was begun; the interval between two, and the lease of the run that sends one. */
    mailBegunAt: integer("mail_begun_at").notNull().default(0),
    webhookBegunAt: integer("webhook_begun_at").notNull().default(0),
  },
  (t) => [check("one_progress", sql`${t.id} = 1`)],
);

/** A post that a change made due within minutes, so that it may begin and end between two runs of the cron; written by a trigger. `WITHOUT ROWID`. */
export const broughtForward = sqliteTable("brought_forward", {
  postId: text("post_id").primaryKey(),
  at: integer().notNull(),
});

/** Something in the installation that operators should act on. `WITHOUT ROWID`. */
export const operatorAlerts = sqliteTable(
  "operator_alerts",
  {
    kind: text().$type<OperatorAlertKind>().notNull(),
    /** What it is about, where a kind has several: a platform, a limit. */
    label: text().notNull(),
    state: text().$type<OperatorAlertState>().notNull(),
    /** Since when the condition holds. */
    since: integer().notNull(),
    /** Since when it does not; null while it does. */
    calmSince: integer("calm_since"),
    /** When it was raised, reminded of or cleared last. */
    changedAt: integer("changed_at").notNull(),
    /** The `changed_at` that the last mail told. */
    mailed: integer().notNull().default(0),
    /** The `changed_at` that the alert webhook was told last. */
    posted: integer().notNull().default(0),
    /** The figures in words. */
    detail: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.kind, t.label] })],
);
