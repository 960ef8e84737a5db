import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { expandViolations, type Migration } from "../../scripts/upgrade/expand-rules.ts";
import { LAST_RELEASE, type Release } from "../../scripts/upgrade/last-release.ts";

const FOLDER = join(import.meta.dirname, "..", "..", "migrations");

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith(".sql")).toSorted();
  return await Promise.all(names.map(async (name) => ({ name, sql: await readFile(join(FOLDER, name), "utf8") })));
}

/** What the migrations after a release take from it. Before the first release there is nothing to take. */
function violationsSince(release: Release | null, all: readonly Migration[]): string[] {
  if (release === null) {
    return [];
  }
  const released = all.filter(({ name }) => name <= release.lastMigration);
  expect(released.map(({ name }) => name)).toContain(release.lastMigration);
  return expandViolations(released, all.slice(released.length));
}

const RELEASED = [
  {
    name: "0000.sql",
    sql: "CREATE TABLE `posts` (`id` text);\nCREATE UNIQUE INDEX `posts_key` ON `posts` (`id`);\nCREATE INDEX `posts_by` ON `posts` (`id`);\nCREATE TRIGGER t AFTER INSERT ON posts BEGIN SELECT 1; END;",
  },
];

describe("the last release runs on the present tables", () => {
  test("no migration since takes away, renames or rebuilds what it reads", async () => {
    expect(violationsSince(LAST_RELEASE, await readMigrations())).toEqual([]);
  });

  test("a migration that drops a table of the release is found among ours, and none before the first release", async () => {
    const all = await readMigrations();
    const planted = [...all, { name: "9999_planted.sql", sql: "DROP TABLE `posts`;" }];
    const release = { tag: "v1.0.0", lastMigration: all.at(-1)?.name ?? "" };
    expect(violationsSince(release, planted)).toEqual(["9999_planted.sql: drops a table: DROP TABLE `posts`"]);
    expect(violationsSince(null, planted)).toEqual([]);
  });

  test.each([
    ["DROP TABLE `posts`;", "drops a table"],
    ["ALTER TABLE `posts` RENAME TO `old_posts`;", "renames"],
    ["ALTER TABLE posts RENAME COLUMN `id` TO `key`;", "renames"],
    ["ALTER TABLE `posts` DROP COLUMN `id`;", "drops a column"],
    ["ALTER TABLE `posts` ADD `kind` text NOT NULL;", "adds a column that an INSERT must name"],
    ["CREATE UNIQUE INDEX `one` ON `posts` (`id`);", "adds a unique key, which may refuse an INSERT"],
    ["DROP INDEX `posts_key`;", "drops a unique key"],
    ["DROP TRIGGER t;", "drops a trigger without making it anew"],
    [
      "CREATE TABLE `__new_posts` (`id` text);--> statement-breakpoint\nDROP TABLE `posts`;--> statement-breakpoint\nALTER TABLE `__new_posts` RENAME TO `posts`;",
      "drops a table",
    ],
  ])("%s is found", (sql, problem) => {
    expect(expandViolations(RELEASED, [{ name: "0001.sql", sql }]).join()).toContain(`0001.sql: ${problem}: `);
  });

  test.each([
    "ALTER TABLE `posts` ADD `kind` text DEFAULT '' NOT NULL;",
    "CREATE TABLE `more` (`id` text NOT NULL);\nCREATE UNIQUE INDEX `m` ON `more` (`id`);\nDROP TABLE `more`;",
    "DROP INDEX `posts_by`;",
    "DROP TRIGGER t;\nCREATE TRIGGER t AFTER INSERT ON posts BEGIN DELETE FROM posts; SELECT 'DROP TABLE posts;'; END;",
    "-- DROP TABLE posts;\nUPDATE posts SET id = 'DROP TABLE posts; DROP TABLE posts';",
  ])("%s adds only", (sql) => {
    expect(expandViolations(RELEASED, [{ name: "0001.sql", sql }])).toEqual([]);
  });
});
