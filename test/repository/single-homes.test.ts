import { describe, test } from "vitest";

const SOURCES = Object.entries(
  import.meta.glob<string>("/src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true }),
).map(([path, text]) => [path.slice(1), text] as const);

/** What is decided in one file only: a pattern of its code, and that file. */
const HOMES: readonly (readonly [what: string, pattern: RegExp, home: string])[] = [
  [
    "error texts of D1",
    /constraint failed|Network connection lost|object to be reset|D1_ERROR|SQLITE_[A-Z]/,
    "src/db/errors.ts",
  ],
  ["what a JSON object is", /!== null && !Array\.isArray\(/, "src/core/json.ts"],
  ["host patterns", /startsWith\("\*\."\)/, "src/core/host-patterns.ts"],
  ["control characters", /\\p\{Cc\}/, "src/core/text.ts"],
  ["comparable texts", /\.normalize\("NFC"\)\.replace\(\/\\s\+\/g, " "\)/, "src/platforms/comparable-text.ts"],
];

const filesWith = (pattern: RegExp, sources: typeof SOURCES) =>
  sources.flatMap(([path, text]) => (pattern.test(text) ? [path] : []));

describe.each(HOMES)("%s", (_what, pattern, home) => {
  test("have one home", ({ expect }) => {
    expect(filesWith(pattern, SOURCES)).toEqual([home]);
  });

  test("would be noticed in a second file", ({ expect }) => {
    const copy = SOURCES.find(([path]) => path === home)?.[1] ?? "";
    expect(filesWith(pattern, [...SOURCES, ["src/planning/copy.ts", copy]])).toContain("src/planning/copy.ts");
  });
});
