/*
 * Says for every table which state a restore takes (a test compares the list with the schema). "Restored" is the earlier state, "present" the state
 * when the restore began.
 */

/**
 * `whole_posts`: post by post, with targets and media (merge-post.ts). `present_first`: the present's rows, and the restored ones that it lacks.
 * `removed_stays`: as `present_first`, but what a user removed since stays removed: rows come back only to users that the present lost too.
 * `present_only`: the restored rows do not come back. `counted`: follows from other tables. `own`: belongs to the database itself.
 */
type TableRule =
  | { readonly kind: "whole_posts" | "present_first" | "present_only" | "counted" | "own" }
  | {
      readonly kind: "removed_stays";
      /** The id of the user that the row (`r`, of the database `restored`) belongs to. */
      readonly owner: string;
    };

const presentFirst = { kind: "present_first" } as const;
const presentOnly = { kind: "present_only" } as const;
const removedStays = (owner: string) => ({ kind: "removed_stays", owner }) as const;
const OWNER_OF_WORKSPACE = "(SELECT w.user_id FROM restored.workspaces w WHERE w.id = r.workspace_id)";

export const TABLE_RULES: Readonly<Record<string, TableRule>> = {
  posts: { kind: "whole_posts" },
  post_targets: { kind: "whole_posts" },
  post_media: { kind: "whole_posts" },

  users: presentFirst,
  subscriptions: presentFirst,
  workspaces: presentFirst,
  api_keys: presentFirst,
  oauth_clients: presentFirst,
  connections: presentFirst,
  accounts: presentFirst,
  app_registrations: presentFirst,
  data_deletions: presentFirst,
  deletions: presentFirst,
  confirmations: presentFirst,
  approvals: presentFirst,
  post_annotations: presentFirst,
  archive_parts: presentFirst,
  archive_orphans: presentFirst,
  event_logs: presentFirst,
  hourly_use: presentFirst,
  idempotency_records: presentFirst,
  media: presentFirst,
  media_fits: presentFirst,
  storage_use: presentFirst,
  schedule_slots: presentFirst,
  service_hours: presentFirst,
  operator_alerts: presentFirst,

  passkeys: removedStays("r.user_id"),
  oauth_grants: removedStays("r.user_id"),
  oauth_tokens: removedStays("(SELECT g.user_id FROM restored.oauth_grants g WHERE g.id = r.grant_id)"),
  webhooks: removedStays("r.user_id"),
  calendar_feeds: removedStays("r.user_id"),
  drafts: removedStays("r.user_id"),
  user_deletions: removedStays("r.user_id"),
  events: removedStays(OWNER_OF_WORKSPACE),
  notices: removedStays(OWNER_OF_WORKSPACE),

  sessions: presentOnly,
  account_mails: presentOnly,
  sign_in_attempts: presentOnly,
  login_tokens: presentOnly,
  connect_states: presentOnly,
  uploads: presentOnly,
  data_exports: presentOnly,

  annotated_posts: { kind: "counted" },
  draft_media: { kind: "counted" },
  post_days: { kind: "counted" },
  post_totals: { kind: "counted" },

  service: { kind: "own" },
  // How far the cron has counted, by row numbers of this database.
  service_progress: { kind: "own" },
  brought_forward: { kind: "own" },
  d1_migrations: { kind: "own" },
  sqlite_sequence: { kind: "own" },
};

/** A table of a later version gets the rule that loses nothing. */
export function ruleFor(table: string): TableRule {
  return TABLE_RULES[table] ?? presentFirst;
}
