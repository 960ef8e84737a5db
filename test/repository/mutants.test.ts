import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HOLES } from "../../scripts/attack/holes.ts";
import { MAIL_RECORDER, SCRYPT_COUNTER } from "../../scripts/attack/instruments.ts";
import { MUTANTS, QUICK_RETRIES } from "../../scripts/crash/mutants.ts";
import { WITHOUT_GUARD } from "../../scripts/restore/drill.ts";
import { applyPatch, findMarks, readSources } from "../../scripts/source-copy.ts";

const PATCHES = [QUICK_RETRIES, ...MUTANTS, MAIL_RECORDER, SCRYPT_COUNTER, ...HOLES, WITHOUT_GUARD];
const SOURCES = await readSources(join(import.meta.dirname, "..", ".."));

/* To run the mutants and holes takes an hour; that they still fit the code is checked here. */
describe("a patch of the source code", () => {
  test.each(PATCHES)("$name changes the code at its mark", (patch) => {
    expect(applyPatch(SOURCES, patch).size).toBeGreaterThan(0);
  });

  test("every mark in the code belongs to one", () => {
    const names = new Set(PATCHES.flatMap(({ name, changes }) => changes.map(({ at = name }) => at)));
    expect(findMarks(SOURCES).filter(({ name }) => !names.has(name))).toEqual([]);
  });
});

describe("applyPatch", () => {
  const sources = new Map([
    ["migrations/1.sql", "CREATE TRIGGER log AFTER INSERT ON a\n"],
    ["migrations/2.sql", "DROP TRIGGER log;\nCREATE TRIGGER log AFTER UPDATE ON a\n"],
    ["src/a.ts", "let a = 1;\n// mutant: one, two\na = call(\n  1,\n);\n\na = 2;\n"],
    ["src/b.ts", "// mutant: twice\nlet b = 1;\n// mutant: twice\nb = 2;\n"],
  ]);
  const applied = (change: Parameters<typeof applyPatch>[1]["changes"][number], name = "one") =>
    Object.fromEntries(applyPatch(sources, { name, changes: [change] }));

  test("inserts a line, replaces the statement or a part of it", () => {
    expect(applied({ before: "return;" })).toEqual({
      "src/a.ts": "let a = 1;\n// mutant: one, two\nreturn;\na = call(\n  1,\n);\n\na = 2;\n",
    });
    expect(applied({ instead: "" }, "two")).toEqual({
      "src/a.ts": "let a = 1;\n// mutant: one, two\n\n\na = 2;\n",
    });
    expect(applied({ at: "two", from: "1", to: "$&" })).toEqual({
      "src/a.ts": "let a = 1;\n// mutant: one, two\na = call(\n  $&,\n);\n\na = 2;\n",
    });
  });

  test("changes a trigger where it is made last", () => {
    expect(applied({ at: "CREATE TRIGGER log", from: "UPDATE", to: "DELETE" })).toEqual({
      "migrations/2.sql": "DROP TRIGGER log;\nCREATE TRIGGER log AFTER DELETE ON a\n",
    });
  });

  test("refuses a mark that is missing or there twice, and a text that is not in the paragraph", () => {
    expect(() => applied({ instead: "" }, "missing")).toThrow("mutant: missing");
    expect(() => applied({ instead: "" }, "twice")).toThrow("mutant: twice");
    expect(() => applied({ at: "CREATE TRIGGER lo", instead: "" })).toThrow("CREATE TRIGGER lo");
    expect(() => applied({ from: "a = 2", to: "a = 3" })).toThrow("changes nothing in src/a.ts");
  });
});
