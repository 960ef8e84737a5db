import { describe, test } from "vitest";
import { PLATFORMS, type Platform } from "#core/platform.ts";

const SOURCES = new Map(
  Object.entries(import.meta.glob("/src/**/*.{ts,tsx,js,css}", { query: "?raw", import: "default", eager: true })).map(
    ([path, text]) => [path.slice(1), text],
  ),
);
const CODE = [...SOURCES].filter(([path]) => /\.tsx?$/.test(path));

/** Where a platform may be named: the list, the registries, its adapter and its simulator. */
const isHome = (path: string, platform: Platform): boolean =>
  [
    "src/core/platform.ts",
    "src/platforms/registry.ts",
    "src/platforms/calls-registry.ts",
    "src/platforms/operator-registry.ts",
    "src/sandbox/registry.ts",
  ].includes(path) ||
  path === `src/sandbox/${platform}.ts` ||
  // The accounts of one can belong to pages of the other: their simulation draws from both.
  (path === "src/sandbox/accounts-of-pages.ts" && ["instagram", "facebook"].includes(platform)) ||
  [`src/platforms/${platform}/`, `src/sandbox/${platform}/`].some((folder) => path.startsWith(folder));

/** One company's platforms share hosts, documents and a crawler, and one logs people in for another. */
const FAMILY: readonly Platform[] = ["instagram", "facebook", "threads"];
const FAMILY_WORDS =
  /\b(?:[\w-]+\.)*(?:facebook|instagram|threads)\.(?:com|net)\b|facebookexternalhit|Facebook Page with a place|Facebook Page of a place|instagram_(?:basic|content_publish|business_account|manage_comments)|\["LOGIN_VARIANT"\] === "facebook"/g;

/** What a platform's API calls its own things. */
const API_WORDS: readonly (readonly [Platform, RegExp])[] = [["youtube", /\bcommentThreads?\b/gi]];

function textFor(path: string, text: string): string {
  const isFamily = FAMILY.some((one) => !isShared(path) && isHome(path, one));
  return API_WORDS.filter(([platform]) => !isShared(path) && isHome(path, platform)).reduce(
    (rest, [, word]) => rest.replaceAll(word, ""),
    isFamily ? text.replaceAll(FAMILY_WORDS, "") : text,
  );
}

const isShared = (path: string): boolean => /(?:^src\/core\/|registry\.ts$)/.test(path);

/** Any spelling, also inside a longer word; one letter is a name only where it is no variable and no header. */
function naming(platform: Platform): RegExp {
  return platform.length > 1
    ? new RegExp(platform, "i")
    : new RegExp(
        `(["'\`])${platform}\\1|[/.]${platform}(?![\\w(-])|\\b${platform}\\.com\\b|(?<![\\w"'-])${platform.toUpperCase()}(?![\\w"'-])`,
      );
}

describe.each(PLATFORMS)("%s", (platform) => {
  test("is named at home and in the registries, and nowhere else", ({ expect }) => {
    const word = naming(platform);
    const elsewhere = [...SOURCES]
      .filter(([path]) => !isHome(path, platform))
      .flatMap(([path, text]) =>
        textFor(path, text)
          .split("\n")
          .flatMap((line, at) => (word.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
      );
    expect(elsewhere).toEqual([]);
  });

  test("has an adapter and a simulator", ({ expect }) => {
    expect([...SOURCES.keys()]).toContain(`src/platforms/${platform}/index.ts`);
    expect([...SOURCES.keys()]).toContain(`src/sandbox/${platform}.ts`);
  });
});

describe("a source file", () => {
  test("can be read in one sitting", ({ expect }) => {
    const long = CODE.map(([path, text]) => [path, text.split("\n").length - 1] as const).filter(
      // The tables stand in one file, so that one reads them at one place.
      ([path, lines]) => lines > 450 && path !== "src/db/schema.ts",
    );
    expect(long).toEqual([]);
  });

  test("says from the root where it draws from", ({ expect }) => {
    expect(CODE.flatMap(([path, text]) => (/from "\.\.\/|import\("\.\.\//.test(text) ? [path] : []))).toEqual([]);
  });

  test("leaves nothing to do", ({ expect }) => {
    expect(CODE.flatMap(([path, text]) => (/\b(?:TODO|FIXME|XXX)\b|@ts-ignore/.test(text) ? [path] : []))).toEqual([]);
  });
});
