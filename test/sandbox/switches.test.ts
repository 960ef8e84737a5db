import { describe, test } from "vitest";
import { PLATFORMS } from "#core/platform.ts";
import { simulators } from "#sandbox/registry.ts";
import document from "../../docs/sandbox.md?raw";

const SOURCES = import.meta.glob("/src/sandbox/**/*.ts", { query: "?raw", import: "default", eager: true });

/** Names that code looks up among the switches, however it writes that down. */
function switchesIn(text: string): readonly string[] {
  const looked = Array.from(
    text.matchAll(/settings\.extra\["(\w+)"\]|sizeOf\(sim, "(\w+)"/g),
    ([, one, two]) => one ?? two,
  );
  const taken = Array.from(text.matchAll(/\{([^{}]*)\} = sim\.settings\.extra/g)).flatMap(([, names = ""]) =>
    names.split(",").map((name) => name.split(":")[0]?.trim()),
  );
  return [...new Set([...looked, ...taken])].filter((name) => name !== undefined && name !== "") as string[];
}

/** The rows of a table that begin with that platform, and those below it with an empty first cell. */
function rowsOf(platform: string): string {
  const rows = document.split("\n").filter((line) => line.startsWith("|"));
  const first = rows.map((row, at) => [row, at] as const).filter(([row]) => row.startsWith(`| ${platform} |`));
  return first
    .flatMap(([row, at]) => {
      const end = rows.findIndex((other, next) => next > at && !/^\|\s+\|/.test(other));
      return [row, ...rows.slice(at + 1, end === -1 ? rows.length : end)];
    })
    .join("\n");
}

describe.each(PLATFORMS)("the sandbox's page about %s", (platform) => {
  test("names every switch and every login, and no other", ({ expect }) => {
    const text = Object.entries(SOURCES)
      .filter(([path]) => path === `/src/sandbox/${platform}.ts` || path.startsWith(`/src/sandbox/${platform}/`))
      .map(([, source]) => source)
      .join("\n");
    const rows = rowsOf(platform);
    const wanted = [...switchesIn(text), ...simulators[platform].logins.map((login) => login.name)];
    const named = Array.from(rows.matchAll(/`(\w+)(?:: [^`]*)?`/g), ([, name]) => name).filter(
      (name) => name !== "quota",
    );
    expect(new Set(named)).toEqual(new Set(wanted));
  });
});
