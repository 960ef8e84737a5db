import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { PLATFORMS } from "#core/platform.ts";

/* docs/add-a-platform.md lists the files of an adapter, whether each is required, and when it is loaded. All folders keep to that list. */

const ROOT = join(import.meta.dirname, "..", "..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

const LOADED = ["start", "first call", "doctor"] as const;

interface Row {
  readonly name: string;
  readonly has: string;
  readonly loaded: string;
}

const ROWS: readonly Row[] = Array.from(
  read("docs/add-a-platform.md").matchAll(/^\| `(\w[\w-]*\.ts)` \| (.+?) \| (.+?) \| .+ \|$/gm),
  ([, name = "", has = "", loaded = ""]) => ({ name, has, loaded }),
);

const REQUIRED = ["README.md", ...ROWS.filter(({ has }) => has === "all").map(({ name }) => name)];

const ALLOWED = ["README.md", ...ROWS.map(({ name }) => name)];

/** Names of files that a folder lacks, and of those that it may not have. */
function mistakesIn(files: readonly string[]): readonly string[] {
  return [
    ...REQUIRED.filter((name) => !files.includes(name)).map((name) => `lacks ${name}`),
    ...files.filter((name) => !ALLOWED.includes(name)).map((name) => `may not have ${name}`),
  ];
}

const loadedWhen = (name: string) => ROWS.find((row) => row.name === name)?.loaded;

/** Files that are loaded at the start and import a value of one that is not. */
function earlyImports(platform: string): readonly string[] {
  return ROWS.filter(({ loaded }) => loaded === "start").flatMap(({ name }) => {
    const path = `src/platforms/${platform}/${name}`;
    const text = readdirSync(join(ROOT, "src/platforms", platform)).includes(name) ? read(path) : "";
    return Array.from(
      text.matchAll(/^(?:import|export) (?!type )[^;]*? from "\.\/([\w-]+\.ts)";$/gm),
      ([, from = ""]) => from,
    )
      .filter((from) => loadedWhen(basename(from)) !== "start")
      .map((from) => `${path} imports ${from}`);
  });
}

test("the list of files can be read", () => {
  expect(ROWS.length).toBeGreaterThan(15);
  expect(ROWS.filter(({ loaded }) => !LOADED.some((when) => when === loaded))).toEqual([]);
  expect(ROWS.filter(({ has }) => has !== "all" && has !== "where needed")).toEqual([]);
});

describe.each(PLATFORMS)("the adapter folder %s", (platform) => {
  test("has the files of the list, and no other", () => {
    expect(mistakesIn(readdirSync(join(ROOT, "src/platforms", platform)))).toEqual([]);
  });

  test("loads with the start only what is listed for it", () => {
    expect(earlyImports(platform)).toEqual([]);
  });
});

test("every name of the list is in use", () => {
  const used = new Set(PLATFORMS.flatMap((platform) => readdirSync(join(ROOT, "src/platforms", platform))));
  expect(ALLOWED.filter((name) => !used.has(name))).toEqual([]);
});

test("a missing and a further file are seen", () => {
  const files = REQUIRED.filter((name) => name !== "limits.ts");
  expect(mistakesIn([...files, "helpers.ts"])).toEqual(["lacks limits.ts", "may not have helpers.ts"]);
});
