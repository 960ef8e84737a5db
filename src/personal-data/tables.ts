import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import * as schema from "#db/schema.ts";

/** A table whose rows go into the download of a person's data. */
export interface ExportedTable {
  readonly table: SQLiteTable;
  readonly column: OwnerColumn;
  readonly file: string;
  /** Explains a row to the person who reads the file. */
  readonly about: string;
  /** Columns that are not exported: secrets, hashes of secrets, and columns for the service's own work. */
  readonly without: readonly string[];
  /** SQL condition, if only some rows are a person's data, or if an index covers only some rows. */
  readonly where?: string;
}

/** A table with rows of a person that are not exported, with the reason. */
export interface UnexportedTable {
  readonly table: SQLiteTable;
  readonly column: OwnerColumn;
  readonly reason: string;
}

/** The column that links a row to a user (`id`, `user_id`) or to a workspace. */
export type OwnerColumn = "id" | "user_id" | "workspace_id";

/** Tables of posts and their files. Separate statements read and erase them. */
export const POST_TABLES = {
  posts: "posts-1.json and so on, and archived-posts-1.json for those of the archive",
  post_targets: "inside the posts",
  post_annotations: "inside the posts; a trigger erases them with their post",
  annotated_posts: "an index of the annotations; triggers erase it with them",
  post_media: "the posts name their media",
  post_days: "counted from the posts",
  post_totals: "counted from the posts",
  archive_parts: "an index of the archived posts; the download has the posts",
  archive_orphans: "names of files that nothing refers to any more",
} as const;

export const EXPORTED_TABLES: readonly ExportedTable[] = [
  {
    table: schema.users,
    column: "id",
    file: "profile",
    about: "you: e-mail address, time zone, which mails you do not want",
    without: ["password_hash"],
  },
  {
    table: schema.subscriptions,
    column: "user_id",
    file: "subscription",
    about: "your plan, its state and your ids at the payment provider",
    without: [],
  },
  { table: schema.workspaces, column: "user_id", file: "workspaces", about: "a workspace of yours", without: [] },
  {
    table: schema.sessions,
    column: "user_id",
    file: "sessions",
    about: "a browser in which you are signed in",
    without: ["hash"],
  },
  {
    table: schema.passkeys,
    column: "user_id",
    file: "passkeys",
    about: "a passkey, without its key",
    without: ["public_key", "counter"],
  },
  {
    table: schema.apiKeys,
    column: "user_id",
    file: "api-keys",
    about: "an API key, without the key: `hint` is its beginning and end",
    without: ["hash"],
  },
  {
    table: schema.oauthGrants,
    column: "user_id",
    file: "connected-apps",
    about: "an app that you gave access, with its permissions",
    without: ["code_hash", "code_challenge", "code_expires_at", "code_used_at"],
  },
  {
    table: schema.connections,
    column: "workspace_id",
    file: "logins",
    about: "a login at a platform, without its tokens",
    without: ["sealed_tokens", "token_version", "refresh_lease_until"],
  },
  {
    table: schema.accounts,
    column: "workspace_id",
    file: "accounts",
    about: "an account at a platform that you connected, without its token",
    without: ["sealed_token"],
  },
  {
    table: schema.approvals,
    column: "user_id",
    file: "approvals",
    about: "what an agent asked you to approve: `plan` is all of it",
    without: ["token_hash", "plan_hash"],
  },
  {
    table: schema.drafts,
    column: "workspace_id",
    file: "drafts",
    about: "a post that was not scheduled yet: `content` is what is in it so far",
    without: ["media_ids"],
  },
  {
    table: schema.events,
    column: "workspace_id",
    file: "events",
    about: "something that happened in a workspace, of the last 30 days; `data` is its subject as it was then",
    without: [],
  },
  {
    table: schema.eventLogs,
    column: "workspace_id",
    file: "event-logs",
    about: "whether a workspace records its events",
    without: ["sweep_at"],
  },
  {
    table: schema.webhooks,
    column: "workspace_id",
    file: "webhooks",
    about: "an address that events are sent to, without the secret that signs them",
    without: ["sealed_secret", "previous_sealed_secret"],
  },
  {
    table: schema.notices,
    column: "workspace_id",
    file: "notices",
    about: "what you were told to act on; `subject_id` is the post, account or webhook",
    without: [],
  },
  {
    table: schema.calendarFeeds,
    column: "workspace_id",
    file: "calendar-addresses",
    about: "an address at which calendar programs read your posts, without the address",
    without: ["hash"],
  },
  {
    table: schema.scheduleSlots,
    column: "workspace_id",
    file: "schedule-slots",
    about: "the times of the week at which you like to post; in `slots`, weekday 0 is Monday",
    without: [],
  },
  {
    table: schema.media,
    column: "workspace_id",
    file: "media",
    about: "an image or video; its file is media/{id}/{filename}",
    without: ["sweep_at"],
    // Media without a hash are incomplete uploads, which are not exported.
    where: "sha256 IS NOT NULL",
  },
  {
    table: schema.uploads,
    column: "user_id",
    file: "uploads",
    about: "an upload of the last 24 hours",
    without: ["parts", "part_size_bytes"],
  },
  {
    table: schema.storageUse,
    column: "workspace_id",
    file: "storage",
    about: "how many bytes the media of a workspace take",
    without: [],
  },
  {
    table: schema.userDeletions,
    column: "user_id",
    file: "deletion",
    about: "that the deletion of your account was asked for, and when it takes place",
    without: ["next_run_at", "workspace_ids"],
  },
];

export const UNEXPORTED_TABLES: readonly UnexportedTable[] = [
  {
    table: schema.mediaFits,
    column: "workspace_id",
    reason: "which images are copies of which; the media are in the download",
  },
  {
    table: schema.draftMedia,
    column: "workspace_id",
    reason: "which media the drafts name; the drafts are in the download",
  },
  { table: schema.dataExports, column: "user_id", reason: "describes this download" },
  { table: schema.loginTokens, column: "user_id", reason: "hashes of links and challenges that end within a day" },
  { table: schema.connectStates, column: "user_id", reason: "logins in progress; they end after ten minutes" },
  { table: schema.confirmations, column: "user_id", reason: "hashes of used tokens; they end after two days" },
  { table: schema.hourlyUse, column: "user_id", reason: "counters of the present hour" },
  { table: schema.idempotencyRecords, column: "user_id", reason: "copies of answers; they end after a day" },
];

/** Tables without a user's id, and what happens to the data about a person in each. */
export const OTHER_TABLES: Readonly<Record<string, string>> = {
  account_mails: "a hash of the address and when it got a mail; erased with the user, and a day after the mail",
  sign_in_attempts: "hashes of the address and of who tried; erased with the user, and a day after the last attempt",
  oauth_tokens: "hashes of tokens; erased with the grants of the user",
  oauth_clients: "apps, not people; a registered app is deleted when no grant names it",
  data_deletions: "requests of platforms; of the person only a hash",
  app_registrations: "this service's app at a server; erased with the last login there",
  deletions: "the hash of the user's id, which is random; it names nobody",
  service: "one row about the service",
  service_hours: "counters of the whole installation",
  service_progress: "one row about the service",
  operator_alerts: "states of the whole installation",
  brought_forward: "ids of posts, until the next run of the cron",
};
