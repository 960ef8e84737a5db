import { describe, test } from "vitest";
import securityDocument from "../../docs/guide/security.md?raw";

const files = import.meta.glob<string>("./*.test.ts", { query: "?raw", import: "default", eager: true });

/** Each row of the checklist: the number and the test files. */
const rows = [...securityDocument.matchAll(/^\| ([A-G]\d+) \|.*\| ([^|]+) \|$/gm)].map(
  ([, number = "", where = ""]) => ({
    number,
    tests: [...where.matchAll(/`test\/auth\/([^`]+)`/g)].map(([, file]) => file ?? ""),
  }),
);

describe("the checklist of docs/guide/security.md", () => {
  test("has seventy rows, in order", ({ expect }) => {
    expect(rows.map(({ number }) => Number(number.slice(1)))).toEqual(
      Array.from({ length: 70 }, (_, index) => index + 1),
    );
  });

  test.for(rows)("$number has a test with that number in each file it names", ({ number, tests }, { expect }) => {
    expect(tests).not.toEqual([]);
    for (const file of tests) {
      expect(files[`./${file}`], file).toMatch(new RegExp(`"${number} |\\["${number} `));
    }
  });
});
