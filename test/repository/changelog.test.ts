import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Manifest, unreadyPackages } from "../../scripts/release/packages.ts";
import { entryOfTag, groupsOf, readChangelog } from "../../scripts/release/changelog.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const CHANGELOG = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8");
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };

const GROUPS = ["Operators must", "Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];

describe("the changelog", () => {
  const entries = readChangelog(CHANGELOG);

  test("says first in every entry what operators must do, and nothing in an unknown group", () => {
    for (const entry of entries) {
      expect(groupsOf(entry)[0], entry.version).toBe("Operators must");
      expect(groupsOf(entry), entry.version).toEqual(GROUPS.filter((group) => groupsOf(entry).includes(group)));
    }
  });

  test("has what is not released first, then the versions from the newest on", () => {
    const [unreleased, ...released] = entries;
    expect(unreleased).toMatchObject({ version: "Unreleased", date: null });
    expect(released.map(({ date }) => date ?? "")).toEqual(
      released
        .map(({ date }) => date ?? "")
        .toSorted()
        .toReversed(),
    );
    expect(new Set(released.map((entry) => entry.version)).size).toBe(released.length);
  });

  test("has an entry for the version of package.json", () => {
    expect(entryOfTag(`v${version}`, version, CHANGELOG).text).toContain("### Operators must");
  });

  test("a release has every package of the service's own version, also where one is built from another", () => {
    const packages = readdirSync(join(ROOT, "clients")).map(
      (client) => JSON.parse(readFileSync(join(ROOT, "clients", client, "package.json"), "utf8")) as Manifest,
    );
    expect(packages.map(({ name }) => name).toSorted((a, b) => a.localeCompare(b))).toEqual([
      "@almanac/cli",
      "@almanac/client",
    ]);
    expect(unreadyPackages(version, packages)).toEqual([]);
    expect(unreadyPackages("9.9.9", packages)).toContain(`@almanac/cli needs @almanac/client ${version}, not 9.9.9`);
    expect(unreadyPackages("9.9.9", packages)).toContain(`@almanac/client is ${version}, not 9.9.9`);
    expect(readFileSync(join(ROOT, ".github", "workflows", "release.yml"), "utf8")).toMatch(
      /gh release create.*dist\/\*\.tgz/,
    );
  });

  test("a release needs the tag of this version and a dated entry", () => {
    expect(() => entryOfTag("v9.9.9", version, CHANGELOG)).toThrow("is not v");
    expect(() => entryOfTag("v9.9.9", "9.9.9", CHANGELOG)).toThrow("no dated entry");
    expect(() => readChangelog("## 1.0.0\n")).toThrow("is no");
  });
});
