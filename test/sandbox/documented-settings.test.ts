import { describe, test } from "vitest";
import { PLATFORMS } from "#core/platform.ts";
import { simulators } from "#sandbox/registry.ts";
import document from "../../docs/guide/sandbox.md?raw";

const SOURCES = import.meta.glob("/src/sandbox/**/*.ts", { query: "?raw", import: "default", eager: true });

/** The names of platform settings that the source reads, in each of the ways it reads them. */
function settingsUsedIn(text: string): readonly string[] {
  const fromAccess = Array.from(
    text.matchAll(/settings\.extra\["(\w+)"\]|dailyLimit\(sim, "(\w+)"/g),
    ([, byKey, byHelper]) => byKey ?? byHelper,
  );
  const fromDestructuring = Array.from(text.matchAll(/\{([^{}]*)\} = sim\.settings\.extra/g)).flatMap(
    ([, names = ""]) => names.split(",").map((name) => name.split(":")[0]?.trim()),
  );
  return [...new Set([...fromAccess, ...fromDestructuring])].filter(
    (name) => name !== undefined && name !== "",
  ) as string[];
}

/** The rows of the tables that begin with the platform, and the rows with an empty first cell below them. */
function tableRowsOf(platform: string): string {
  const rows = document.split("\n").filter((line) => line.startsWith("|"));
  const firstRows = rows
    .map((row, index) => [row, index] as const)
    .filter(([row]) => row.startsWith(`| ${platform} |`));
  return firstRows
    .flatMap(([row, index]) => {
      const end = rows.findIndex((other, nextIndex) => nextIndex > index && !/^\|\s+\|/.test(other));
      return [row, ...rows.slice(index + 1, end === -1 ? rows.length : end)];
    })
    .join("\n");
}

describe.each(PLATFORMS)("docs/guide/sandbox.md on %s", (platform) => {
  test("lists exactly the simulator's settings and logins", ({ expect }) => {
    const text = Object.entries(SOURCES)
      .filter(([path]) => path === `/src/sandbox/${platform}.ts` || path.startsWith(`/src/sandbox/${platform}/`))
      .map(([, source]) => source)
      .join("\n");
    const rows = tableRowsOf(platform);
    const expected = [...settingsUsedIn(text), ...simulators[platform].logins.map((login) => login.name)];
    const documented = Array.from(rows.matchAll(/`(\w+)(?:: [^`]*)?`/g), ([, name]) => name).filter(
      (name) => name !== "quota",
    );
    expect(new Set(documented)).toEqual(new Set(expected));
  });
});
