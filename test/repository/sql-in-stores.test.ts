import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

/* SQL stands in files named store*.ts. The tables and the simulators of platforms are the only other places. */

const ROOT = join(import.meta.dirname, "..", "..");
const SQL =
  /\b(?:SELECT\s+[\w('*$]|INSERT\s+INTO|UPDATE\s+\w+\s+(?:AS\s+\w+\s+)?SET|DELETE\s+FROM)|\bd1\s*\.prepare\(|\borm\s*\.(?:select|insert|update|delete)\(/;
const COMMENT = /^\s*(?:\*|\/\/|\/\*)/;

const isElsewhere = (path: string): boolean =>
  !/^src\/(?:db|sandbox)\//.test(path) && !/(?:^|\/)store[a-z-]*\.tsx?$/.test(path);

/** The lines of a file with SQL in them, if it may have none. */
function sqlOutsideOfStores(path: string, text: string): string[] {
  return isElsewhere(path)
    ? text.split("\n").flatMap((line, at) => (SQL.test(line) && !COMMENT.test(line) ? [`${path}:${at + 1}`] : []))
    : [];
}

describe("SQL", () => {
  test("stands in store*.ts", () => {
    const paths = globSync("src/**/*.{ts,tsx}", { cwd: ROOT });
    expect(paths.length).toBeGreaterThan(1000);
    expect(paths.flatMap((path) => sqlOutsideOfStores(path, readFileSync(join(ROOT, path), "utf8")))).toEqual([]);
  });

  test.each([
    'const read = db.d1.prepare("...");',
    "  `SELECT count(*) FROM posts`",
    "  `INSERT INTO posts (id) VALUES (?)`",
    '  "UPDATE posts AS p SET version = 2"',
    "  `DELETE FROM posts`",
    "  await db.orm.select().from(posts);",
  ])("is refused elsewhere: %s", (line) => {
    expect(sqlOutsideOfStores("src/planning/assess/planted.ts", line)).toEqual(["src/planning/assess/planted.ts:1"]);
    expect(sqlOutsideOfStores("src/planning/facts/store-planted.ts", line)).toEqual([]);
  });
});
