import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as fc from "fast-check";
import { getTableName, is, Table } from "drizzle-orm";
import { describe, onTestFinished, test } from "vitest";
import type { PostStatus, TargetState } from "#core/status.ts";
import * as schema from "#db/schema.ts";
import { differenceBatches } from "../../scripts/restore/difference.ts";
import { mergeDatabases } from "../../scripts/restore/merge-databases.ts";
import { mergePost, type PostRow, type TargetRow, type WholePost } from "../../scripts/restore/merge-post.ts";
import { applyMigrations, tablesOf } from "../../scripts/restore/sqlite-file.ts";
import { TABLE_RULES } from "../../scripts/restore/table-rules.ts";

/* The merge after a restore: what the present knows goes on to hold, whatever the restored state says. */

const STATUSES: readonly PostStatus[] = [
  "scheduled",
  "paused",
  "publishing",
  "published",
  "partially_failed",
  "failed",
  "cancelled",
];

function post(status: PostStatus, version: number, more: Partial<PostRow> = {}): PostRow {
  const isOpen = status === "scheduled" || status === "publishing";
  return {
    id: "p",
    status,
    version,
    run_id: null,
    watch_at: isOpen ? 5 : null,
    finished_at: ["published", "partially_failed", "failed"].includes(status) ? 9 : null,
    updated_at: version,
    caption: `words ${version}`,
    paused_reason: status === "paused" ? "user" : null,
    ...more,
  };
}

const target = (account: string, state: TargetState, progress: string | null = null): TargetRow => ({
  post_id: "p",
  account_id: account,
  state,
  progress,
});

const whole = (row: PostRow, ...targets: TargetRow[]): WholePost => ({ post: row, targets, media: [] });

/** States that a post can be in. */
const STATES_BY_STATUS: Readonly<Record<PostStatus, readonly TargetState[]>> = {
  scheduled: ["pending", "published", "failed", "unconfirmed", "skipped"],
  paused: ["pending"],
  publishing: ["pending", "committing", "verifying", "published", "failed", "unconfirmed"],
  published: ["published", "skipped"],
  partially_failed: ["published", "failed", "unconfirmed", "skipped"],
  failed: ["failed", "unconfirmed", "skipped"],
  cancelled: ["pending"],
};

const anyPost: fc.Arbitrary<WholePost> = fc.constantFrom(...STATUSES).chain((status) =>
  fc
    .tuple(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.constantFrom(...STATES_BY_STATUS[status]), { minLength: 1, maxLength: 3 }),
      fc.boolean(),
    )
    .map(([version, states, hasRun]) => {
      const targets = states.map((state, at) => target(`a${at}`, state));
      const isOpen = ["scheduled", "paused", "publishing"].includes(status);
      // An open post has something left to do, a published one something that is public.
      if (isOpen && targets.every(({ state }) => ["published", "failed", "unconfirmed", "skipped"].includes(state))) {
        targets[0] = target("a0", "pending");
      }
      if (["published", "partially_failed"].includes(status) && targets.every(({ state }) => state !== "published")) {
        targets[0] = target("a0", "published");
      }
      return whole(post(status, version, { run_id: hasRun ? "run" : null }), ...targets);
    }),
);

const publishedOf = ({ targets }: WholePost) =>
  targets.filter(({ state }) => state === "published").map(({ account_id: account }) => account);

describe("one post", () => {
  test.for<[string, WholePost, WholePost, Partial<PostRow>]>([
    [
      "was published since",
      whole(post("scheduled", 1), target("a", "pending")),
      whole(post("published", 1), target("a", "published")),
      { status: "published", version: 1 },
    ],
    [
      "was cancelled since",
      whole(post("scheduled", 1), target("a", "pending")),
      whole(post("cancelled", 2), target("a", "pending")),
      { status: "cancelled", version: 2 },
    ],
    [
      "was edited since",
      whole(post("scheduled", 1), target("a", "pending")),
      whole(post("scheduled", 3), target("a", "pending")),
      { status: "scheduled", caption: "words 3" },
    ],
    [
      "failed, and was opened again since",
      whole(post("failed", 1), target("a", "failed")),
      whole(post("scheduled", 2), target("a", "pending")),
      { status: "scheduled", version: 2 },
    ],
    [
      "is what it was",
      whole(post("scheduled", 2, { caption: "good" }), target("a", "pending")),
      whole(post("scheduled", 2, { caption: "damaged" }), target("a", "pending")),
      { caption: "good" },
    ],
    [
      "is in another run since",
      whole(post("publishing", 1, { run_id: "old" }), target("a", "pending")),
      whole(post("publishing", 1, { run_id: "new" }), target("a", "verifying")),
      { run_id: "new" },
    ],
    [
      "ended before, and the present is an older state",
      whole(post("published", 1), target("a", "published")),
      whole(post("scheduled", 4), target("a", "pending")),
      { status: "published", version: 4 },
    ],
    [
      "was cancelled before, and the present knows that it is public",
      whole(post("cancelled", 5), target("a", "pending")),
      whole(post("partially_failed", 2), target("a", "published")),
      { status: "partially_failed", version: 5 },
    ],
  ])("that %s", ([, restored, present, expected], { expect }) => {
    expect(mergePost(restored, present).post).toMatchObject(expected);
  });

  test("merging twice is merging once, no version falls, no end and nothing public is lost", ({ expect }) => {
    fc.assert(
      fc.property(anyPost, anyPost, (restored, present) => {
        const merged = mergePost(restored, present);
        expect(mergePost(merged, present)).toEqual(merged);
        expect(mergePost(restored, merged)).toEqual(merged);
        expect(merged.post.version).toBe(Math.max(restored.post.version, present.post.version));
        const accounts = new Set([...publishedOf(restored), ...publishedOf(present)]);
        const kept = new Set(publishedOf(merged));
        const sides = [restored.post.status, present.post.status];
        if (merged.post.status !== "cancelled") {
          expect([...accounts].filter((account) => !kept.has(account))).toEqual([]);
        }
        if (sides.includes("published")) {
          expect(merged.post.status).toBe("published");
        }
        if (sides.includes("cancelled") && kept.size === 0 && !sides.some((side) => side === "published")) {
          const other = restored.post.status === "cancelled" ? present : restored;
          const isUncertain = other.targets.some(({ state }) => state === "unconfirmed");
          expect(isUncertain || merged.post.status === "cancelled").toBe(true);
        }
        const isWatched = merged.post.status === "scheduled" || merged.post.status === "publishing";
        expect(merged.post.watch_at !== null).toBe(isWatched);
        expect(merged.targets.map(({ account_id: account }) => account)).toEqual([
          ...new Set(merged.targets.map(({ account_id: account }) => account)),
        ]);
      }),
      { numRuns: 2000 },
    );
  });
});

test("every table has its rule", ({ expect }) => {
  const tables: string[] = Object.values(schema).flatMap((value) => (is(value, Table) ? [getTableName(value)] : []));
  expect(tables.filter((table) => !(table in TABLE_RULES))).toEqual([]);
  const own = new Set(["d1_migrations", "sqlite_sequence"]);
  expect(Object.keys(TABLE_RULES).filter((table) => !tables.includes(table) && !own.has(table))).toEqual([]);
});

/** Nothing here has to survive a power failure. */
function openQuickly(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY");
  return database;
}

class Scene {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async open(): Promise<Scene> {
    const folder = await mkdtemp(path.join(tmpdir(), "almanac-merge-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    return new Scene(folder);
  }

  file(name: string): string {
    return path.join(this.folder, `${name}.sqlite`);
  }

  /** A database with the present schema, filled by these statements. */
  async make(name: string, ...statements: readonly string[]): Promise<string> {
    const database = openQuickly(this.file(name));
    await applyMigrations(database);
    database.exec("BEGIN");
    for (const sql of statements) {
      database.exec(sql);
    }
    database.exec("COMMIT");
    database.close();
    return this.file(name);
  }

  copy(from: string, to: string): string {
    const database = new DatabaseSync(this.file(from));
    database.prepare("VACUUM INTO ?").run(this.file(to));
    database.close();
    return this.file(to);
  }

  rows(name: string, sql: string): unknown[] {
    const database = new DatabaseSync(this.file(name), { readOnly: true });
    const rows = database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
    database.close();
    return rows;
  }

  /** Everything in the tables that hold data. */
  content(name: string): Record<string, unknown[]> {
    const database = new DatabaseSync(this.file(name), { readOnly: true });
    const tables = tablesOf(database).filter(({ name: table }) => table !== "d1_migrations");
    const content = Object.fromEntries(
      tables.map(({ name: table, key }) => [
        table,
        database
          .prepare(`SELECT * FROM "${table}" ORDER BY ${key.join(", ")}`)
          .all()
          .map((row) => ({ ...row })),
      ]),
    );
    database.close();
    return content;
  }

  merge(restored: string, present: string | null, into = "merged") {
    this.copy(restored, into);
    return mergeDatabases({
      target: this.file(into),
      restored: this.file(restored),
      present: present === null ? null : this.file(present),
      startedAt: 1000,
    });
  }
}

const user = (id: string) =>
  `INSERT INTO users (id, email, active_workspace_id, created_at) VALUES ('${id}', '${id}@example.com', 'w-${id}', 1);
   INSERT INTO workspaces (id, user_id, name, created_at) VALUES ('w-${id}', '${id}', 'W', 1)`;

const postOf = (
  id: string,
  status: string,
  version: number,
  { owner = "ada", state = "pending", at = 86_400_000 } = {},
) =>
  `INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, watch_at, post_type, caption, media, platforms, plan_hash, confirm_hash, created_via, created_at, updated_at)
   VALUES ('${id}', 'w-${owner}', '${owner}', '${status}', ${at}, ${version}, ${status === "scheduled" ? at : "NULL"}, 'text', 'it''s ${id} ${version}
second line', '[]', '["x"]', 'h', 'c', 'api', 1, ${version});
   INSERT INTO post_targets (post_id, account_id, platform, username, effective_caption, options, state, due_at, history, updated_at)
   VALUES ('${id}', 'acc', 'x', 'ada', 'c', '{}', '${state}', ${at}, '[{"at":1}]', 1)`;

const key = (id: string, revokedAt: number | null) =>
  `INSERT INTO api_keys (id, user_id, name, hash, hint, scopes, created_at, revoked_at) VALUES ('${id}', 'ada', 'k', 'h-${id}', 'h', '[]', 1, ${revokedAt})`;

describe("two databases", () => {
  test("what was done since comes back, what was lost since too, and what was removed stays removed", async ({
    expect,
  }) => {
    const scene = await Scene.open();
    await scene.make(
      "restored",
      user("ada"),
      postOf("p1", "scheduled", 1),
      postOf("p2", "scheduled", 1),
      postOf("p3", "scheduled", 1),
      key("k1", null),
      key("k2", null),
      "INSERT INTO passkeys (id, user_id, name, public_key, counter, transports, created_at) VALUES ('old', 'ada', 'p', 'k', 0, '[]', 1)",
      "INSERT INTO sessions (hash, user_id, created_at, expires_at) VALUES ('s-old', 'ada', 1, 9)",
      "INSERT INTO connections (id, user_id, workspace_id, platform, external_id, display_name, sealed_tokens, token_version, scopes, status, connected_at) VALUES ('c1', 'ada', 'w-ada', 'x', 'e', 'd', 'old tokens', 1, '[]', 'active', 1)",
    );
    await scene.make(
      "present",
      user("ada"),
      user("bob"),
      postOf("p1", "published", 1, { state: "published" }),
      postOf("p2", "cancelled", 2),
      postOf("p4", "scheduled", 1, { owner: "bob" }),
      key("k1", 7),
      key("k3", null),
      "INSERT INTO sessions (hash, user_id, created_at, expires_at) VALUES ('s-new', 'ada', 1, 9)",
      "INSERT INTO confirmations (issued_hour, token_hash, user_id, nonce, post_ids, expected, matched) VALUES (1, 't', 'ada', 'n', '[]', 0, 0)",
      "INSERT INTO connections (id, user_id, workspace_id, platform, external_id, display_name, sealed_tokens, token_version, scopes, status, connected_at) VALUES ('c1', 'ada', 'w-ada', 'x', 'e', 'd', 'new tokens', 2, '[]', 'active', 1)",
    );
    expect(scene.merge("restored", "present")).toEqual({ added: 1, advanced: 2, broughtBack: 1 });
    expect(scene.rows("merged", "SELECT id, status, version FROM posts ORDER BY id")).toEqual([
      { id: "p1", status: "published", version: 1 },
      { id: "p2", status: "cancelled", version: 2 },
      { id: "p3", status: "scheduled", version: 1 },
      { id: "p4", status: "scheduled", version: 1 },
    ]);
    expect(scene.rows("merged", "SELECT post_id, state FROM post_targets ORDER BY post_id")).toEqual([
      { post_id: "p1", state: "published" },
      { post_id: "p2", state: "pending" },
      { post_id: "p3", state: "pending" },
      { post_id: "p4", state: "pending" },
    ]);
    expect(scene.rows("merged", "SELECT id, revoked_at FROM api_keys ORDER BY id")).toEqual([
      { id: "k1", revoked_at: 7 },
      { id: "k2", revoked_at: null },
      { id: "k3", revoked_at: null },
    ]);
    expect(scene.rows("merged", "SELECT sealed_tokens, next_sync_at FROM connections")).toEqual([
      { sealed_tokens: "new tokens", next_sync_at: null },
    ]);
    expect(scene.rows("merged", "SELECT hash FROM sessions")).toEqual([{ hash: "s-new" }]);
    expect(scene.rows("merged", "SELECT id FROM passkeys")).toEqual([]);
    expect(scene.rows("merged", "SELECT token_hash FROM confirmations")).toEqual([{ token_hash: "t" }]);
    const once = scene.content("merged");
    scene.merge("merged", "present", "twice");
    expect(scene.content("twice")).toEqual(once);
    scene.merge("restored", "merged", "other_way");
    expect(scene.content("other_way")).toEqual(once);
  });

  test("without a present: sessions end, and every login is checked at once", async ({ expect }) => {
    const scene = await Scene.open();
    await scene.make(
      "restored",
      user("ada"),
      postOf("p1", "scheduled", 1),
      "INSERT INTO sessions (hash, user_id, created_at, expires_at) VALUES ('s', 'ada', 1, 9)",
      "INSERT INTO connections (id, user_id, workspace_id, platform, external_id, display_name, sealed_tokens, scopes, status, connected_at) VALUES ('c1', 'ada', 'w-ada', 'x', 'e', 'd', 't', '[]', 'active', 1)",
    );
    scene.merge("restored", null);
    expect(scene.rows("merged", "SELECT hash FROM sessions")).toEqual([]);
    expect(scene.rows("merged", "SELECT next_sync_at FROM connections")).toEqual([{ next_sync_at: 1000 }]);
    expect(scene.rows("merged", "SELECT status FROM posts")).toEqual([{ status: "scheduled" }]);
  });

  test("what was deleted about a person or with a user is deleted again, and archived posts stay in the archive", async ({
    expect,
  }) => {
    const scene = await Scene.open();
    const old = "019a0000-0000-7000-8123-456789abcdef";
    const account = (external: string) =>
      `INSERT INTO accounts (id, user_id, workspace_id, connection_id, platform, platform_account_id, username, display_name, capabilities, missing_scopes, status, connected_at)
       VALUES ('acc', 'ada', 'w-ada', 'c', 'x', '${external}', 'ada', 'Ada', '{}', '[]', 'active', 1)`;
    await scene.make(
      "restored",
      user("ada"),
      user("bob"),
      account("42"),
      postOf("p1", "published", 1, { state: "published" }),
      postOf(old, "published", 1, { state: "published" }),
      postOf("p5", "scheduled", 1, { owner: "bob" }),
    );
    await scene.make(
      "present",
      user("ada"),
      account("deleted:acc"),
      postOf("p1", "published", 1, { state: "published" }),
      // sha256("user:bob")
      "INSERT INTO deletions (user_hash, erased_at) VALUES ('3cf105295f918eb8f4dd96d1b545117d37fd1e108079e478013dbe2a26944b72', 5)",
      `INSERT INTO archive_parts (workspace_id, first_at, id, user_id, last_at, published, partially_failed, failed, size_bytes, created_at, first_id, last_id, accounts, ids)
       VALUES ('w-ada', 1, 'part', 'ada', 2, 1, 0, 0, 1, 1, '${old}', '${old}', '[]', x'8123456789abcdef')`,
    );
    const hash = scene.rows("present", "SELECT user_hash FROM deletions");
    expect(hash).toHaveLength(1);
    scene.merge("restored", "present");
    expect(scene.rows("merged", "SELECT id FROM posts")).toEqual([{ id: "p1" }]);
    expect(scene.rows("merged", "SELECT username, history FROM post_targets")).toEqual([
      { username: "deleted", history: "[]" },
    ]);
    expect(scene.rows("merged", "SELECT user_id, requested_by, due_at FROM user_deletions")).toEqual([
      { user_id: "bob", requested_by: "restore", due_at: 1000 },
    ]);
  });
});

const image = (id: string) =>
  `INSERT INTO media (id, user_id, workspace_id, state, type, content_type, filename, size_bytes, sha256, facts, created_at, sweep_at)
   VALUES ('${id}', 'ada', 'w-ada', 'ready', 'image', 'image/jpeg', 'a.jpg', 10, 'sha-${id}', '{}', 1, 1)`;

const copyOf = (source: string, recipe: string, copy: string) =>
  `INSERT INTO media_fits (workspace_id, source_sha256, recipe, media_id) VALUES ('w-ada', '${source}', '${recipe}', '${copy}')`;

const draft = (id: string, version: number, media: readonly string[]) =>
  `INSERT INTO drafts (id, user_id, workspace_id, version, content, media_ids, created_at, updated_at)
   VALUES ('${id}', 'ada', 'w-ada', ${version}, '{"caption":"${id} ${version}"}', '${JSON.stringify(media)}', 1, ${version})`;

const slots = (time: string) =>
  `INSERT INTO schedule_slots (workspace_id, time_zone, slots, updated_at) VALUES ('w-ada', 'Europe/Berlin', '[{"weekday":1,"time":"${time}"}]', 1)`;

const annotation = (label: string, updatedAt: number) =>
  `INSERT INTO post_annotations (workspace_id, post_id, scheduled_at, external_id, metadata, labels, notes, updated_at)
   VALUES ('w-ada', 'kept', 86400000, NULL, '{}', '["${label}"]', NULL, ${updatedAt})`;

/** A post one of whose accounts has files of its own. */
const postWithOwnMedia = (id: string, own: string) =>
  `${postOf(id, "scheduled", 1)};
   UPDATE post_targets SET media = '[{"id":"${own}"}]' WHERE post_id = '${id}';
   INSERT INTO post_media (media_id, post_id) VALUES ('${own}', '${id}')`;

/** Before and after the loss: an account's own files, copies of images, drafts, slots and labels. */
async function sceneOfContent(): Promise<Scene> {
  const scene = await Scene.open();
  await scene.make(
    "restored",
    user("ada"),
    ...["own", "unused", "a", "b"].map(image),
    copyOf("sha-x", "w1440", "own"),
    copyOf("sha-y", "w1440", "unused"),
    postWithOwnMedia("lost", "own"),
    postOf("kept", "scheduled", 1),
    annotation("before", 1),
    draft("changed", 1, ["a", "b"]),
    draft("removed", 1, ["b"]),
    slots("09:00"),
  );
  await scene.make(
    "present",
    user("ada"),
    ...["a", "b", "c"].map(image),
    postOf("kept", "scheduled", 1),
    annotation("after", 2),
    draft("changed", 2, ["b", "c"]),
    draft("new", 1, ["c"]),
    slots("10:30"),
  );
  scene.merge("restored", "present");
  return scene;
}

test("a post that comes back has the files that only one of its accounts has; drafts and slots are those of the present", async ({
  expect,
}) => {
  const scene = await sceneOfContent();
  expect(scene.rows("merged", "SELECT media FROM post_targets WHERE post_id = 'lost'")).toEqual([
    { media: '[{"id":"own"}]' },
  ]);
  expect(scene.rows("merged", "SELECT media_id, post_id FROM post_media")).toEqual([
    { media_id: "own", post_id: "lost" },
  ]);
  expect(scene.rows("merged", "SELECT id FROM media ORDER BY id")).toEqual(
    ["a", "b", "c", "own"].map((id) => ({ id })),
  );
  expect(scene.rows("merged", "SELECT media_id FROM media_fits")).toEqual([{ media_id: "own" }]);
  expect(scene.rows("merged", "SELECT id, version FROM drafts ORDER BY id")).toEqual([
    { id: "changed", version: 2 },
    { id: "new", version: 1 },
  ]);
  expect(scene.rows("merged", "SELECT slots FROM schedule_slots")).toEqual([
    { slots: '[{"weekday":1,"time":"10:30"}]' },
  ]);
});

describe("what is written", () => {
  /** As D1 executes it: each batch is one transaction, and triggers are there. */
  function write(
    scene: Scene,
    name: string,
    batches: Iterable<readonly { sql: string; rows: string }[]>,
    limit = Infinity,
  ): number {
    const database = openQuickly(scene.file(name));
    let count = 0;
    for (const batch of batches) {
      if (count === limit) {
        break;
      }
      database.exec("BEGIN");
      for (const { sql, rows } of batch) {
        database.prepare(sql).run(rows);
      }
      database.exec("COMMIT");
      count += 1;
    }
    database.close();
    return count;
  }

  const PARTS = ["accounts", "posts", "events"] as const;

  test("makes the one database the other, wherever it was broken off, with the counters of days", async ({
    expect,
  }) => {
    const scene = await Scene.open();
    const many = Array.from({ length: 1200 }, (_, at) =>
      postOf(`m${at}`, "scheduled", 1, { at: 86_400_000 * (1 + (at % 5)) }),
    );
    await scene.make(
      "restored",
      user("ada"),
      ...many,
      key("k1", null),
      "INSERT INTO archive_parts (workspace_id, first_at, id, user_id, last_at, published, partially_failed, failed, size_bytes, created_at, first_id, last_id, accounts, ids) VALUES ('w-ada', 1, 'gone', 'ada', 2, 1, 0, 0, 1, 1, 'a', 'b', '[]', x'00ff00ff00ff00ff')",
    );
    const changed = Array.from({ length: 1200 }, (_, at) =>
      postOf(`m${at}`, at % 3 === 0 ? "published" : "scheduled", at % 3 === 1 ? 2 : 1, {
        state: at % 3 === 0 ? "published" : "pending",
        at: 86_400_000 * (1 + (at % 7)),
      }),
    );
    await scene.make(
      "present",
      user("ada"),
      ...changed,
      key("k1", 3),
      postOf("new", "paused", 1),
      "INSERT INTO archive_parts (workspace_id, first_at, id, user_id, last_at, published, partially_failed, failed, size_bytes, created_at, first_id, last_id, accounts, ids) VALUES ('w-ada', 7, 'part', 'ada', 8, 1, 0, 0, 1, 1, 'a', 'b', '[]', x'01fe01fe01fe01fe')",
    );
    scene.merge("restored", "present");
    scene.copy("restored", "live");
    for (let kills = 0; kills < 3; kills += 1) {
      scene.copy("live", `seen${kills}`);
      for (const part of PARTS) {
        write(scene, "live", differenceBatches(scene.file(`seen${kills}`), scene.file("merged"), part), kills + 1);
      }
    }
    scene.copy("live", "seen");
    for (const part of PARTS) {
      write(scene, "live", differenceBatches(scene.file("seen"), scene.file("merged"), part));
    }
    scene.copy("live", "after");
    expect(PARTS.map((part) => [...differenceBatches(scene.file("after"), scene.file("merged"), part)].length)).toEqual(
      [0, 0, 0],
    );
    const { post_days: days, post_totals: _, ...content } = scene.content("live");
    const { post_days: _days, post_totals: _totals, ...expected } = scene.content("merged");
    expect(content).toEqual(expected);
    const counted = scene.rows(
      "live",
      "SELECT scheduled_at / 86400000 AS day, sum(status = 'scheduled') AS scheduled, sum(status = 'published') AS published, sum(status = 'paused') AS paused FROM posts GROUP BY 1 ORDER BY 1",
    );
    expect(
      (days as Record<string, unknown>[]).map(({ day, scheduled, published, paused }) => ({
        day,
        scheduled,
        published,
        paused,
      })),
    ).toEqual(counted);
  });

  test("keeps the indexes that triggers write: media of drafts, posts of labels", async ({ expect }) => {
    const scene = await sceneOfContent();
    scene.copy("restored", "live");
    for (const part of PARTS) {
      write(scene, "live", differenceBatches(scene.file("restored"), scene.file("merged"), part));
    }
    expect(scene.rows("live", "SELECT draft_id, media_id FROM draft_media ORDER BY draft_id, media_id")).toEqual([
      { draft_id: "changed", media_id: "b" },
      { draft_id: "changed", media_id: "c" },
      { draft_id: "new", media_id: "c" },
    ]);
    expect(scene.rows("live", "SELECT value, post_id FROM annotated_posts")).toEqual([
      { value: "after", post_id: "kept" },
    ]);
    expect(scene.rows("live", "SELECT content FROM drafts ORDER BY id")).toEqual(
      scene.rows("merged", "SELECT content FROM drafts ORDER BY id"),
    );
  });

  test("leaves a post alone that was cancelled after it was read", async ({ expect }) => {
    const scene = await Scene.open();
    await scene.make("live", user("ada"), postOf("p1", "scheduled", 1), postOf("p2", "scheduled", 1));
    await scene.make("merged", user("ada"), postOf("p1", "scheduled", 2), postOf("p2", "scheduled", 2));
    scene.copy("live", "seen");
    const database = new DatabaseSync(scene.file("live"));
    database.exec("UPDATE posts SET status = 'cancelled', version = 2, watch_at = NULL WHERE id = 'p1'");
    database.close();
    write(scene, "live", differenceBatches(scene.file("seen"), scene.file("merged"), "posts"));
    expect(scene.rows("live", "SELECT id, status, version FROM posts ORDER BY id")).toEqual([
      { id: "p1", status: "cancelled", version: 2 },
      { id: "p2", status: "scheduled", version: 2 },
    ]);
  });
});

/* How long a merge takes and how much it writes: RESTORE_SIZE=100000 npx vitest run --project deploy test/deploy/merge.test.ts -t "of many" */
const SIZE = Number(process.env["RESTORE_SIZE"] ?? "0");
test.runIf(SIZE > 0)("of many posts that have all changed since", { timeout: 3_600_000 }, async ({ expect }) => {
  const scene = await Scene.open();
  const fill = (version: number, status: string, state: string) =>
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${SIZE - 1})
     INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, post_type, caption, media, platforms, plan_hash, confirm_hash, created_via, created_at, updated_at, watch_at)
     SELECT 'p' || i, 'w-ada', 'ada', '${status}', 86400000 + i * 60000, ${version}, 'text', hex(randomblob(300)), '[]', '["x","linkedin"]', hex(randomblob(32)), hex(randomblob(32)), 'api', 1, 1, ${status === "scheduled" ? 1 : "NULL"} FROM n;
     INSERT INTO post_targets (post_id, account_id, platform, username, effective_caption, options, state, due_at, history, updated_at)
     SELECT p.id, a.value, 'x', 'ada', p.caption, '{}', '${state}', p.scheduled_at, '[]', 1 FROM posts p, json_each('["a1","a2"]') a`;
  await scene.make("restored", user("ada"), fill(1, "scheduled", "pending"));
  await scene.make("present", user("ada"), fill(1, "published", "published"));
  let began = performance.now();
  const seconds = (): string => {
    const passed = ((performance.now() - began) / 1000).toFixed(1);
    began = performance.now();
    return passed;
  };
  const counts = scene.merge("restored", "present");
  const merged = seconds();
  scene.copy("restored", "live");
  seconds();
  const database = openQuickly(scene.file("live"));
  const sizes: number[] = [];
  let slowest = 0;
  for (const batch of differenceBatches(scene.file("restored"), scene.file("merged"), "posts")) {
    sizes.push(batch.reduce((sum, { rows }) => sum + rows.length, 0));
    const at = performance.now();
    database.exec("BEGIN");
    for (const { sql, rows } of batch) {
      database.prepare(sql).run(rows);
    }
    database.exec("COMMIT");
    slowest = Math.max(slowest, performance.now() - at);
  }
  database.close();
  expect(counts.advanced).toBe(SIZE);
  process.stdout.write(
    `${SIZE} posts with two targets: merged in ${merged} s, written in ${seconds()} s, ${sizes.length} batches of at most ${Math.max(...sizes)} characters, the slowest ${slowest.toFixed(0)} ms\n`,
  );
});
