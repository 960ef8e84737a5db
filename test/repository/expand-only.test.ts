import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { expandViolations, type Migration } from "../../scripts/upgrade/expand-rules.ts";
import { LAST_RELEASE } from "../../scripts/upgrade/last-release.ts";

const FOLDER = join(import.meta.dirname, "..", "..", "migrations");

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith(".sql")).toSorted();
  return await Promise.all(names.map(async (name) => ({ name, sql: await readFile(join(FOLDER, name), "utf8") })));
}

const RELEASED = [
  {
    name: "0000.sql",
    sql: "CREATE TABLE `posts` (`id` text);\nCREATE UNIQUE INDEX `posts_key` ON `posts` (`id`);\nCREATE INDEX `posts_by` ON `posts` (`id`);\nCREATE TRIGGER t AFTER INSERT ON posts BEGIN SELECT 1; END;",
  },
];

describe("the last release runs on the present tables", () => {
  test("no migration since takes away, renames or rebuilds what it reads", async () => {
    const all = await readMigrations();
    const released = all.filter(({ name }) => name <= LAST_RELEASE.lastMigration);
    expect(released.map(({ name }) => name)).toContain(LAST_RELEASE.lastMigration);
    const added = all.filter(({ name }) => name > LAST_RELEASE.lastMigration);
    expect(expandViolations(released, added)).toEqual([]);
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
