import { describe, expect, test } from "vitest";

const [page = ""] = Object.values(
  import.meta.glob("/docs/how-it-works.md", { query: "?raw", import: "default", eager: true }),
);
const sources = import.meta.glob("/test/**/*.test.ts", { query: "?raw", import: "default", eager: true });

/** The lines of the failure matrix: their ids and the tests they name. */
const lines = [...page.matchAll(/^\| (C\d+(?:, C\d+)*) \|.*\| ([^|]+) \|$/gm)].map(([, ids = "", files = ""]) => ({
  ids: ids.split(", "),
  files: [...files.matchAll(/`([^`]+)`/g)].map(([, file = ""]) => file),
}));

describe("docs/how-it-works.md", () => {
  test("has every line of the failure matrix and every move of the two tables", () => {
    const all = (letter: string, last: number) => Array.from({ length: last }, (_, index) => `${letter}${index + 1}`);
    expect(lines.flatMap(({ ids }) => ids).toSorted()).toEqual(all("C", 30).toSorted());
    const named = new Set(page.match(/\b[PT]\d+\b/g));
    expect([...all("P", 16), ...all("T", 16)].filter((id) => !named.has(id))).toEqual([]);
  });

  test.each(lines)("$ids: the tests that it names are there", ({ ids, files }) => {
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      expect(Object.keys(sources)).toContain(`/test/${file}`);
    }
    const matrix = sources["/test/publisher/failure-matrix.test.ts"] ?? "";
    for (const id of files.includes("publisher/failure-matrix.test.ts") ? ids : []) {
      expect(matrix).toMatch(new RegExp(`"[^"]*\\b${id}\\b`));
    }
  });
});
