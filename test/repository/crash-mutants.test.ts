import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { MUTANTS, QUICK_RETRIES } from "../../scripts/crash/mutants.ts";

const ROOT = join(import.meta.dirname, "..", "..");

/* `npm run crash -- --mutants` takes minutes; that its planted bugs still fit the code is checked here. */
describe("a mutant of the crash test", () => {
  const changed = [{ name: "quick retries", changes: QUICK_RETRIES }, ...MUTANTS];
  test.each(changed.flatMap(({ name, changes }) => changes.map((change) => ({ name, ...change }))))(
    "$name changes one place of $file",
    async ({ file, from, to }) => {
      const source = await readFile(join(ROOT, file), "utf8");
      expect(source.split(from)).toHaveLength(2);
      expect(to).not.toBe(from);
    },
  );
});
