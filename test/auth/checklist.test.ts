import { describe, test } from "vitest";
import list from "../../docs/security.md?raw";

const files = import.meta.glob<string>("./*.test.ts", { query: "?raw", import: "default", eager: true });

/** Row by row: the number of a promise and the files that keep it. */
const rows = [...list.matchAll(/^\| ([A-G]\d+) \|.*\| ([^|]+) \|$/gm)].map(([, number = "", where = ""]) => ({
  number,
  tests: [...where.matchAll(/`test\/auth\/([^`]+)`/g)].map(([, file]) => file ?? ""),
}));

describe("the checklist of docs/security.md", () => {
  test("has all seventy promises, in order", ({ expect }) => {
    expect(rows.map(({ number }) => Number(number.slice(1)))).toEqual(
      Array.from({ length: 70 }, (_, index) => index + 1),
    );
  });

  test.for(rows)("$number is kept by a test of that number in the file it names", ({ number, tests }, { expect }) => {
    expect(tests).not.toEqual([]);
    for (const file of tests) {
      expect(files[`./${file}`], file).toMatch(new RegExp(`"${number} |\\["${number} `));
    }
  });
});
