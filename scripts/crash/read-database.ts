import { randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { EventType } from "#core/event-type.ts";
import type { PostChangeKind } from "#db/schema.ts";

export interface LoggedEvent {
  readonly workspaceId: string;
  readonly seq: number;
  readonly type: EventType;
  readonly subjectId: string;
  readonly at: number;
  /** Only of events of a target. */
  readonly accountId: string | null;
}

export interface StoredPost {
  readonly id: string;
  readonly workspaceId: string;
  readonly status: string;
  /** What was done to it, oldest first. */
  readonly changes: readonly PostChangeKind[];
  readonly targets: readonly { readonly accountId: string; readonly state: string }[];
}

/** What the database held at one instant. */
export interface DatabaseState {
  /** In the order of their numbers. */
  readonly events: readonly LoggedEvent[];
  readonly posts: readonly StoredPost[];
  /** The ids of webhooks that are disabled. */
  readonly disabledWebhooks: ReadonlySet<string>;
}

const LOCK_TIMEOUT_MS = 10_000;

async function databaseFile(stateDir: string): Promise<string> {
  const folder = join(stateDir, "v3", "d1", "miniflare-D1DatabaseObject");
  const file = (await readdir(folder)).find((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite");
  if (file === undefined) {
    throw new Error(`${folder} holds no database`);
  }
  return join(folder, file);
}

/** Reads the file beside the runtime, so that neither the API nor a running service is needed. */
export async function readDatabase(stateDir: string): Promise<DatabaseState> {
  const database = new DatabaseSync(await databaseFile(stateDir), { readOnly: true, timeout: LOCK_TIMEOUT_MS });
  const rows = <Row>(sql: string): Row[] => database.prepare(sql).all() as Row[];
  try {
    // One transaction sees one instant.
    database.exec("BEGIN");
    const events = rows<LoggedEvent>(
      `SELECT workspace_id AS workspaceId, seq, type, subject_id AS subjectId, at, data ->> '$.accountId' AS accountId
       FROM events ORDER BY workspace_id, seq`,
    );
    const posts = rows<{ id: string; workspaceId: string; status: string; changes: string; targets: string }>(
      `SELECT p.id, p.workspace_id AS workspaceId, p.status, coalesce(p.changes, '[]') AS changes,
         (SELECT json_group_array(json_object('accountId', t.account_id, 'state', t.state)) FROM post_targets t WHERE t.post_id = p.id) AS targets
       FROM posts p`,
    );
    const disabled = rows<{ id: string }>("SELECT id FROM webhooks WHERE disabled_at IS NOT NULL");
    return {
      events,
      posts: posts.map(({ changes, targets, ...post }) => ({
        ...post,
        changes: (JSON.parse(changes) as { what: PostChangeKind }[]).map(({ what }) => what),
        targets: JSON.parse(targets) as StoredPost["targets"],
      })),
      disabledWebhooks: new Set(disabled.map(({ id }) => id)),
    };
  } finally {
    database.close();
  }
}

/** Makes the missing workspaces of a user directly in the database, past the limit of the plan, and returns all of them. */
export async function insertWorkspaces(stateDir: string, userId: string, count: number): Promise<readonly string[]> {
  const database = new DatabaseSync(await databaseFile(stateDir), { timeout: LOCK_TIMEOUT_MS });
  const read = () =>
    database.prepare("SELECT id FROM workspaces WHERE user_id = ? ORDER BY created_at, id").all(userId) as {
      id: string;
    }[];
  try {
    const insert = database.prepare("INSERT INTO workspaces (id, user_id, name, created_at) VALUES (?, ?, ?, ?)");
    for (let made = read().length; made < count; made += 1) {
      insert.run(randomUUID(), userId, `Client ${made}`, Date.now());
    }
    return read().map(({ id }) => id);
  } finally {
    database.close();
  }
}

/** The drafts of a user by where they are, and by what they say. */
export async function placesOfDrafts(
  stateDir: string,
  userId: string,
): Promise<readonly { readonly workspaceId: string; readonly caption: string }[]> {
  const database = new DatabaseSync(await databaseFile(stateDir), { readOnly: true, timeout: LOCK_TIMEOUT_MS });
  try {
    return database
      .prepare("SELECT workspace_id AS workspaceId, content ->> '$.caption' AS caption FROM drafts WHERE user_id = ?")
      .all(userId) as { workspaceId: string; caption: string }[];
  } finally {
    database.close();
  }
}
