import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { mergePost, type PostRow, type Row, type TargetRow, type WholePost } from "./merge-post.ts";
import { dropTriggers, quoted, type Table, tablesOf } from "./sqlite-file.ts";
import { ruleFor } from "./table-rules.ts";

/*
 * Merges two states of the service's database, both SQLite files with the schema of this version. Works on a copy of the restored state and
 * touches no running service.
 */

export interface MergeInput {
  /** The file that becomes the merged state: at first a copy of the restored one. */
  readonly target: string;
  readonly restored: string;
  /** Null where the present is lost. */
  readonly present: string | null;
  /** When the restore began: logins that only the restored state knows are checked from then on. */
  readonly startedAt: number;
}

/** What the merge took from the present, and what it kept of the restored state. */
export interface MergeCounts {
  /** Posts that only the present had. */
  readonly added: number;
  /** Posts whose present state is newer than the restored one. */
  readonly advanced: number;
  /** Posts that the present had lost. */
  readonly broughtBack: number;
}

interface Merge {
  readonly database: DatabaseSync;
  readonly startedAt: number;
}

const matches = (key: readonly string[], a: string, b: string): string =>
  key.map((column) => `${a}."${column}" = ${b}."${column}"`).join(" AND ");

/** If both states have a row, the present one wins, except for these columns. */
const KEPT_OF_RESTORED: Readonly<Record<string, string>> = {
  // A revoked key stays revoked, and a used code stays used.
  api_keys: "revoked_at = coalesce(main.api_keys.revoked_at, r.revoked_at)",
  oauth_grants:
    "revoked_at = coalesce(main.oauth_grants.revoked_at, r.revoked_at), code_used_at = coalesce(main.oauth_grants.code_used_at, r.code_used_at)",
};

/** Rows of the present (`p`) that do not replace the restored one (`r`). */
const OLDER_IN_PRESENT: Readonly<Record<string, string>> = {
  connections: "r.token_version > p.token_version",
  approvals: "p.state = 'pending' AND r.state <> 'pending'",
};

function takePresent({ database }: Merge, { name, columns, key }: Table): void {
  const older = OLDER_IN_PRESENT[name];
  const except =
    older === undefined
      ? ""
      : `WHERE NOT EXISTS (SELECT 1 FROM restored."${name}" r WHERE ${matches(key, "r", "p")} AND ${older})`;
  database.exec(
    `INSERT OR REPLACE INTO main."${name}" (${quoted(columns)})
     SELECT ${quoted(columns)} FROM present."${name}" p ${except} EXCEPT SELECT ${quoted(columns)} FROM main."${name}"`,
  );
  const kept = KEPT_OF_RESTORED[name];
  if (kept !== undefined) {
    database.exec(
      `UPDATE main."${name}" SET ${kept} FROM restored."${name}" r WHERE ${matches(key, `main."${name}"`, "r")}`,
    );
  }
}

function mergeTable(merge: Merge, table: Table, hasPresent: boolean): void {
  const rule = ruleFor(table.name);
  if (rule.kind === "present_only") {
    merge.database.exec(`DELETE FROM main."${table.name}"`);
  }
  if (rule.kind === "removed_stays" && hasPresent) {
    merge.database.exec(
      `DELETE FROM main."${table.name}" AS m WHERE NOT EXISTS (SELECT 1 FROM present."${table.name}" p WHERE ${matches(table.key, "p", "m")})
       AND EXISTS (SELECT 1 FROM restored."${table.name}" r WHERE ${matches(table.key, "r", "m")} AND ${rule.owner} IN (SELECT id FROM present.users))`,
    );
  }
  if (hasPresent && ["present_only", "present_first", "removed_stays"].includes(rule.kind)) {
    takePresent(merge, table);
  }
}

class PostMerge {
  readonly #database: DatabaseSync;
  readonly #tables: ReadonlyMap<string, Table>;

  constructor(database: DatabaseSync, tables: readonly Table[]) {
    this.#database = database;
    this.#tables = new Map(tables.map((table) => [table.name, table]));
  }

  #columns(name: string): readonly string[] {
    return this.#tables.get(name)?.columns ?? [];
  }

  /** Posts that only the present has come with all that belongs to them. */
  addMissing(): number {
    const missing = "(SELECT id FROM present.posts EXCEPT SELECT id FROM main.posts)";
    const added = Number(this.#database.prepare(`SELECT count(*) AS n FROM ${missing}`).get()?.["n"] ?? 0);
    for (const name of ["post_targets", "post_media", "posts"]) {
      const columns = quoted(this.#columns(name));
      this.#database.exec(
        `INSERT OR REPLACE INTO main."${name}" (${columns}) SELECT ${columns} FROM present."${name}" WHERE ${name === "posts" ? "id" : "post_id"} IN ${missing}`,
      );
    }
    return added;
  }

  /** Posts that both have, where anything differs; returns how many are not as they were restored. */
  mergeDiffering(): number {
    const differing = ["posts", "post_targets", "post_media"].flatMap((name) => {
      const columns = quoted(this.#columns(name));
      const id = name === "posts" ? "id" : "post_id";
      const except = (a: string, b: string) =>
        `SELECT ${id} AS id FROM (SELECT ${columns} FROM ${a}."${name}" EXCEPT SELECT ${columns} FROM ${b}."${name}")`;
      return [except("present", "main"), except("main", "present")];
    });
    const ids = this.#database
      .prepare(
        `SELECT DISTINCT id FROM (${differing.join(" UNION ALL ")}) WHERE id IN (SELECT id FROM present.posts) AND id IN (SELECT id FROM main.posts)`,
      )
      .all() as { id: string }[];
    const readers = { main: this.#reader("main"), present: this.#reader("present") };
    const write = this.#writer();
    let advanced = 0;
    for (const { id } of ids) {
      const restored = readers.main(id);
      const merged = mergePost(restored, readers.present(id));
      if (JSON.stringify(merged) !== JSON.stringify(restored)) {
        write(merged);
        advanced += 1;
      }
    }
    return advanced;
  }

  #reader(schema: "main" | "present"): (id: string) => WholePost {
    const post = this.#database.prepare(`SELECT * FROM ${schema}.posts WHERE id = ?`);
    const targets = this.#database.prepare(
      `SELECT * FROM ${schema}.post_targets WHERE post_id = ? ORDER BY account_id`,
    );
    const media = this.#database.prepare(`SELECT * FROM ${schema}.post_media WHERE post_id = ? ORDER BY media_id`);
    return (id) => ({
      post: post.get(id) as unknown as PostRow,
      targets: targets.all(id) as unknown as TargetRow[],
      media: media.all(id),
    });
  }

  #writer(): (post: WholePost) => void {
    const insert = (name: string) => {
      const columns = this.#columns(name);
      const statement = this.#database.prepare(
        `INSERT OR REPLACE INTO main."${name}" (${quoted(columns)}) VALUES (${columns.map(() => "?").join(", ")})`,
      );
      return (row: Row) => void statement.run(...columns.map((column) => row[column] ?? null));
    };
    const [post, target, medium] = [insert("posts"), insert("post_targets"), insert("post_media")];
    const deletes = ["post_targets", "post_media"].map((name) =>
      this.#database.prepare(`DELETE FROM main."${name}" WHERE post_id = ?`),
    );
    return (whole) => {
      for (const statement of deletes) {
        statement.run(whole.post.id);
      }
      for (const row of whole.targets) {
        target(row);
      }
      for (const row of whole.media) {
        medium(row);
      }
      post(whole.post);
    };
  }
}

/** The last eight bytes of a post's id, by which the index of the archive knows it. */
const RANDOM_BYTES = 8;
const randomPartOf = (id: string): string => id.replaceAll("-", "").slice(-2 * RANDOM_BYTES);

/** Deletes posts from the tables that are also in a file of the archive. */
function dropArchived(database: DatabaseSync): void {
  const archived = new Set<string>();
  const parts = database.prepare("SELECT workspace_id AS workspaceId, ids FROM main.archive_parts");
  for (const { workspaceId, ids } of parts.iterate() as Iterable<{ workspaceId: string; ids: Uint8Array }>) {
    const hex = Buffer.from(ids).toString("hex");
    for (let at = 0; at < hex.length; at += 2 * RANDOM_BYTES) {
      archived.add(`${workspaceId} ${hex.slice(at, at + 2 * RANDOM_BYTES)}`);
    }
  }
  if (archived.size === 0) {
    return;
  }
  const posts = database
    .prepare(
      "SELECT id, workspace_id AS workspaceId FROM main.posts WHERE status IN ('published', 'partially_failed', 'failed')",
    )
    .all() as { id: string; workspaceId: string }[];
  const ids = posts
    .filter(({ id, workspaceId }) => archived.has(`${workspaceId} ${randomPartOf(id)}`))
    .map(({ id }) => id);
  deletePosts(database, JSON.stringify(ids));
}

function deletePosts(database: DatabaseSync, ids: string): void {
  for (const [table, column] of [
    ["post_targets", "post_id"],
    ["post_media", "post_id"],
    ["posts", "id"],
  ] as const) {
    database.prepare(`DELETE FROM main.${table} WHERE ${column} IN (SELECT value FROM json_each(?))`).run(ids);
  }
}

/** Removed media come back only for posts that still need them; their storage counts again. */
function mergeMedia(database: DatabaseSync): void {
  const broughtBack = "m.id NOT IN (SELECT id FROM present.media)";
  database.exec(
    `DELETE FROM main.media AS m WHERE ${broughtBack} AND m.user_id IN (SELECT id FROM present.users) AND NOT EXISTS (
       SELECT 1 FROM main.post_media pm JOIN main.posts p ON p.id = pm.post_id
       WHERE pm.media_id = m.id AND p.status IN ('scheduled', 'paused', 'publishing'));
     DELETE FROM main.post_media AS pm WHERE NOT EXISTS (SELECT 1 FROM main.media m WHERE m.id = pm.media_id)
       AND NOT EXISTS (SELECT 1 FROM present.post_media p WHERE p.media_id = pm.media_id AND p.post_id = pm.post_id);
     DELETE FROM main.media_fits WHERE media_id NOT IN (SELECT id FROM main.media);
     UPDATE main.storage_use AS s SET bytes = p.bytes + coalesce((SELECT sum(m.size_bytes) FROM main.media m
       WHERE m.workspace_id = s.workspace_id AND ${broughtBack}), 0)
     FROM present.storage_use p WHERE p.workspace_id = s.workspace_id`,
  );
}

/** Repeats the deletions of a person's data that a platform has requested. */
function eraseAgain(database: DatabaseSync): void {
  database.exec(
    `UPDATE main.post_targets SET username = 'deleted', remote_id = NULL, remote_url = NULL, progress = NULL, extras = NULL, history = '[]'
     WHERE username <> 'deleted' AND account_id IN (SELECT id FROM main.accounts WHERE platform_account_id = 'deleted:' || id)`,
  );
}

/** Annotations go with their posts, and get their time. */
function alignAnnotations(database: DatabaseSync): void {
  database.exec(
    `DELETE FROM main.post_annotations WHERE post_id NOT IN (SELECT id FROM main.posts);
     UPDATE main.post_annotations AS a SET scheduled_at = p.scheduled_at FROM main.posts p
     WHERE p.id = a.post_id AND p.scheduled_at <> a.scheduled_at`,
  );
}

/** Tables by which a deleted user, or somebody who acts for that user, could still do something. */
const ACCESS_TABLES = [
  "api_keys",
  "sessions",
  "passkeys",
  "oauth_grants",
  "login_tokens",
  "calendar_feeds",
  "webhooks",
];

/** Deleted users get no access and no posts back; a new deletion request erases the rest. */
function deleteUsersAgain(database: DatabaseSync, startedAt: number): void {
  database.function("user_hash", { deterministic: true }, (id) =>
    createHash("sha256")
      .update(`user:${String(id)}`)
      .digest("hex"),
  );
  const users = database
    .prepare("SELECT id FROM main.users WHERE user_hash(id) IN (SELECT user_hash FROM main.deletions)")
    .all() as { id: string }[];
  const ids = JSON.stringify(users.map(({ id }) => id));
  const posts = database
    .prepare("SELECT id FROM main.posts WHERE user_id IN (SELECT value FROM json_each(?))")
    .all(ids) as { id: string }[];
  deletePosts(database, JSON.stringify(posts.map(({ id }) => id)));
  for (const table of ACCESS_TABLES) {
    database.prepare(`DELETE FROM main.${table} WHERE user_id IN (SELECT value FROM json_each(?))`).run(ids);
  }
  database
    .prepare(
      `INSERT OR IGNORE INTO main.user_deletions (user_id, requested_by, requested_at, due_at, next_run_at)
       SELECT value, 'restore', ?2, ?2, ?2 FROM json_each(?1)`,
    )
    .run(ids, startedAt);
}

/**
 * Merges what the present knows into a copy of the restored state. Doing it twice changes nothing more; no post's version falls, and no
 * end is lost (the invariant I11).
 */
export function mergeDatabases({ target, restored, present, startedAt }: MergeInput): MergeCounts {
  const database = new DatabaseSync(target, { enableForeignKeyConstraints: false });
  try {
    database.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY");
    database.prepare("ATTACH ? AS restored").run(restored);
    dropTriggers(database);
    if (present !== null) {
      database.prepare("ATTACH ? AS present").run(present);
    }
    database.exec("BEGIN");
    const tables = tablesOf(database);
    const merge = { database, startedAt };
    for (const table of tables) {
      mergeTable(merge, table, present !== null);
    }
    const counts = { added: 0, advanced: 0, broughtBack: 0 };
    if (present !== null) {
      const posts = new PostMerge(database, tables);
      counts.broughtBack = Number(
        database
          .prepare("SELECT count(*) AS n FROM (SELECT id FROM main.posts EXCEPT SELECT id FROM present.posts)")
          .get()?.["n"],
      );
      counts.advanced = posts.mergeDiffering();
      counts.added = posts.addMissing();
      dropArchived(database);
      mergeMedia(database);
      eraseAgain(database);
    }
    deleteUsersAgain(database, startedAt);
    alignAnnotations(database);
    // The platform may have replaced its refresh token since: the next sync checks that before a post needs it.
    const known = present === null ? "" : "AND id NOT IN (SELECT id FROM present.connections)";
    database
      .prepare(
        `UPDATE main.connections SET next_sync_at = ?, refresh_lease_until = NULL WHERE sealed_tokens IS NOT NULL AND status = 'active' ${known}`,
      )
      .run(startedAt);
    database.exec("COMMIT");
    return counts;
  } finally {
    database.close();
  }
}
