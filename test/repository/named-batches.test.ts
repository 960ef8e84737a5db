import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

/* A batch gives its results names: only `batch` of src/db/batch.ts reads what `d1.batch` returns. Elsewhere nobody may read it. */

const ROOT = join(import.meta.dirname, "..", "..");
const READ_RESULT = /(?:[=(,:?>]|\breturn)\s*(?:\(?await\s+)?(?:\w+\??\.)*(?:d1|DB)\s*\.batch\b/g;

function positionalBatches(path: string, text: string): string[] {
  return /^src\/(?:db|sandbox)\//.test(path)
    ? []
    : [...text.matchAll(READ_RESULT)].map(({ index }) => `${path}:${text.slice(0, index).split("\n").length}`);
}

describe("the results of a batch", () => {
  test("are read by their names", () => {
    const paths = globSync("src/**/*.{ts,tsx}", { cwd: ROOT });
    expect(paths.length).toBeGreaterThan(1000);
    expect(paths.flatMap((path) => positionalBatches(path, readFileSync(join(ROOT, path), "utf8")))).toEqual([]);
  });

  test.each([
    "const [saved, , counted] = await db.d1.batch([a, b, c]);",
    "const results = await ctx.db.d1.batch<Row>(statements);",
    "const results =\n  await db.d1.batch(statements);",
    "const row = (await db.d1.batch([a]))[0];",
    "return await db.d1.batch([a]);",
    "use.check(await db.d1.batch([...use.statements]));",
    "await retry(() => db.d1.batch(statements));",
    "const [row] = await services.env.DB.batch([a]);",
  ])("are refused by position: %s", (line) => {
    expect(positionalBatches("src/planning/facts/store-planted.ts", `\n${line}`)).toHaveLength(1);
  });

  test("may be ignored", () => {
    expect(positionalBatches("src/media/cleanup/store-planted.ts", "  await db.d1.batch([a, b]);\n")).toEqual([]);
  });
});
