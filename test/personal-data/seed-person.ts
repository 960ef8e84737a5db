import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import * as schema from "#db/schema.ts";
import { EXPORTED_TABLES, UNEXPORTED_TABLES } from "#personal-data/tables.ts";

/* A person with a row in every table that can hold something of a person, and a text of their own in every field of it. */

export interface SeededPerson {
  readonly userId: string;
  readonly workspaceIds: readonly [string, string];
  readonly email: string;
  /** What every text of this person begins with. */
  readonly mark: string;
  /** Hash of the bytes of a media item, per workspace. */
  readonly hashes: readonly [string, string];
}

/** Values that statements compare with, so that a mark in them would change what happens. */
const FIXED: Readonly<Record<string, Readonly<Record<string, string | number | null>>>> = {
  users: { role: null },
  subscriptions: { plan: "growth", status: "active" },
  connections: {
    platform: "x",
    status: "active",
    sealed_tokens: null,
    external_id: "MARK-connections-id@MARK.example",
  },
  accounts: { platform: "x", status: "active", disconnected_at: 1 },
  approvals: { kind: "schedule", state: "pending", via: "api", plan: '{"post":{"caption":"MARK-approvals-plan"}}' },
  webhooks: { disabled_at: null, disabled_reason: null },
  event_logs: { recording: 1 },
  notices: { kind: "post_failed" },
  media: { state: "ready", type: "image" },
  uploads: { state: "open", parts: '{"1":"incoming/MARK-part/1"}' },
  connect_states: { platform: "x" },
  posts: { status: "published", post_type: "image", platforms: '["x"]', created_via: "api" },
  post_targets: { platform: "x", state: "published" },
  post_totals: { side: "before", platforms: "{}" },
  post_days: { slots: "{}", platforms: "{}", lateness: "{}", times: "{}" },
  // Not expired, or the cron would delete it.
  data_exports: { expires_at: 9e12 },
  user_deletions: { requested_by: "person" },
};

type Value = string | number | null;

/** The value of a column that nothing is compared with: its mark, as JSON where the column is JSON. */
function markedValue(
  mark: string,
  table: string,
  column: ReturnType<typeof getTableConfig>["columns"][number],
  suffix: string,
): Value {
  const text = `${mark}-${table}-${column.name}${suffix}`;
  if (column.getSQLType() === "integer") {
    return 1;
  }
  return column.dataType === "json" ? JSON.stringify([text]) : text;
}

/** An INSERT of one row with every column; `ids` are the values of the columns by which rows belong together. */
function markedRow(
  table: SQLiteTable,
  mark: string,
  ids: Readonly<Record<string, Value>>,
  suffix = "",
): { readonly sql: string; readonly values: readonly Value[] } {
  const { name, columns } = getTableConfig(table);
  const fixed = FIXED[name] ?? {};
  const values = columns.map((column): Value => {
    const own = ids[column.name];
    if (own !== undefined) {
      return own;
    }
    const value = fixed[column.name];
    if (value !== undefined) {
      return typeof value === "string" ? value.replaceAll("MARK", mark) : value;
    }
    return markedValue(mark, name, column, suffix);
  });
  return {
    sql: `INSERT INTO ${name} (${columns.map((column) => column.name).join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    values,
  };
}

const bind = (d1: D1Database, { sql, values }: ReturnType<typeof markedRow>) => d1.prepare(sql).bind(...values);

/** A row in every table for the user, and one for each of two workspaces; a published post with a target in each. */
export async function seedPerson(
  d1: D1Database,
  mark: string,
  { hashes }: { readonly hashes: readonly [string, string] },
): Promise<SeededPerson> {
  const userId = crypto.randomUUID();
  const workspaceIds = [crypto.randomUUID(), crypto.randomUUID()] as const;
  const email = `${mark.toLowerCase()}@person.example`;
  const statements: D1PreparedStatement[] = [];
  for (const { table, column } of [...EXPORTED_TABLES, ...UNEXPORTED_TABLES]) {
    const { name } = getTableConfig(table);
    if (name === "user_deletions" || name === "post_days" || name === "post_totals") {
      continue;
    }
    const owners = column === "workspace_id" || name === "workspaces" ? workspaceIds : [workspaceIds[0]];
    for (const [index, workspaceId] of owners.entries()) {
      const ids = {
        ...(column === "id" ? { id: userId } : { user_id: userId }),
        ...(name === "workspaces" ? { id: workspaceId } : { workspace_id: workspaceId }),
        ...(name === "users" ? { email, active_workspace_id: workspaceId, time_zone: "Europe/Zurich" } : {}),
        ...(name === "media" ? { sha256: hashes[index] ?? "", id: crypto.randomUUID() } : {}),
      };
      statements.push(bind(d1, markedRow(table, mark, ids, `-${index}`)));
    }
  }
  for (const [index, workspaceId] of workspaceIds.entries()) {
    const postId = `0197a3f0-5b1e-7c42-9d27-${crypto.randomUUID().slice(-12)}`;
    const ids = { workspace_id: workspaceId, user_id: userId, post_id: postId };
    statements.push(
      bind(d1, markedRow(schema.posts, mark, { ...ids, id: postId, watch_at: null }, `-${index}`)),
      bind(d1, markedRow(schema.postAnnotations, mark, ids, `-${index}`)),
      bind(d1, markedRow(schema.postTargets, mark, ids, `-${index}`)),
      bind(d1, markedRow(schema.postMedia, mark, ids, `-${index}`)),
    );
  }
  await d1.batch(statements);
  return { userId, workspaceIds, email, mark, hashes };
}
