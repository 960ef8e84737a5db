/** The versions that a changelog in the form of keepachangelog.com has, newest first, each with its heading and its text. */
export interface ChangelogEntry {
  /** `Unreleased` or a version. */
  readonly version: string;
  /** `YYYY-MM-DD`; null for what is not released. */
  readonly date: string | null;
  readonly text: string;
}

export function readChangelog(changelog: string): readonly ChangelogEntry[] {
  return changelog
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading = "", ...lines] = section.split("\n");
      const [, version, date] = /^\[([^\]]+)\](?: - (\d{4}-\d{2}-\d{2}))?$/.exec(heading.trim()) ?? [];
      if (version === undefined) {
        throw new Error(`CHANGELOG.md: "## ${heading}" is no "## [version] - date"`);
      }
      return { version, date: date ?? null, text: lines.join("\n").trim() };
    });
}

/** The titles of an entry's groups, in their order. */
export const groupsOf = (entry: ChangelogEntry): readonly string[] =>
  Array.from(entry.text.matchAll(/^### (.+)$/gm), ([, title = ""]) => title);

/** The entry of the version that a tag names; an error says what is not ready for a release. */
export function entryOfTag(tag: string, packageVersion: string, changelog: string): ChangelogEntry {
  if (tag !== `v${packageVersion}`) {
    throw new Error(`the tag ${tag} is not v${packageVersion}, the version of package.json`);
  }
  const entry = readChangelog(changelog).find(({ version }) => version === packageVersion);
  if (!entry?.date) {
    throw new Error(`CHANGELOG.md has no dated entry for ${packageVersion}`);
  }
  return entry;
}
