import { describe, expect, test } from "vitest";

const [page = ""] = Object.values(
  import.meta.glob("/docs/guide/publishing-reference.md", { query: "?raw", import: "default", eager: true }),
);
const sources = import.meta.glob("/test/**/*.test.ts", { query: "?raw", import: "default", eager: true });

/** The rows of the failure matrix: their ids and the tests they name. */
const matrixRows = [...page.matchAll(/^\| (C\d+(?:, C\d+)*) \|.*\| ([^|]+) \|$/gm)].map(([, ids = "", files = ""]) => ({
  ids: ids.split(", "),
  files: [...files.matchAll(/`([^`]+)`/g)].map(([, file = ""]) => file),
}));

describe("docs/guide/publishing-reference.md", () => {
  test("lists every row of the failure matrix and every transition of the two tables", () => {
    const idsUpTo = (letter: string, last: number) =>
      Array.from({ length: last }, (_, index) => `${letter}${index + 1}`);
    expect(matrixRows.flatMap(({ ids }) => ids).toSorted()).toEqual(idsUpTo("C", 38).toSorted());
    const idsOnPage = new Set(page.match(/\b[PT]\d+\b/g));
    expect([...idsUpTo("P", 20), ...idsUpTo("T", 17)].filter((id) => !idsOnPage.has(id))).toEqual([]);
  });

  test.each(matrixRows)("$ids: the tests that it names exist", ({ ids, files }) => {
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      expect(Object.keys(sources)).toContain(`/test/${file}`);
    }
    const matrixTest = sources["/test/publisher/failure-matrix.test.ts"] ?? "";
    for (const id of files.includes("publisher/failure-matrix.test.ts") ? ids : []) {
      expect(matrixTest).toMatch(new RegExp(`"[^"]*\\b${id}\\b`));
    }
  });
});
