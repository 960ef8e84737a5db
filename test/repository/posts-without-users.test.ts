import { describe, expect, test } from "vitest";

/*
 * No statement reads posts together with users: posts can then move to databases of their own, as docs/decisions/several-databases.md
 * describes.
 */

const sources = import.meta.glob<string>("/src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });

const OF_POSTS = /\b(?:FROM|JOIN|UPDATE|INTO) (?:posts|post_targets|post_media|post_days|post_totals|archive_parts)\b/;
const OF_USERS = /\b(?:FROM|JOIN) users\b/;

interface Declaration {
  readonly path: string;
  readonly name: string;
  readonly text: string;
  /** The names that the file imports. */
  readonly imported: ReadonlySet<string>;
}

const START = /^(?=(?:export )?(?:async )?(?:function|const|class|interface|type) )/m;
const NAME = /^(?:export )?(?:async )?(?:function|const|class|interface|type) (\w+)/;
/** A constant, or a function that returns text. */
const IS_SQL = /^(?:export )?const [A-Z]|^(?:export )?(?:const|function) [^;{]*\): string\b/;

const wordsOf = (text: string): string[] => text.match(/\b\w+\b/g) ?? [];
const stringsOf = (text: string): string[] => text.match(/`[^`]*`|"[^"\n]*"/g) ?? [];

function declarationsOf(files: Readonly<Record<string, string>>): Declaration[] {
  return Object.entries(files).flatMap(([path, source]) => {
    const imported = new Set(wordsOf((source.match(/^import [^;]*;/gm) ?? []).join(" ")));
    return source
      .replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")
      .split(START)
      .flatMap((text) => {
        const name = NAME.exec(text)?.[1];
        return name === undefined ? [] : [{ path, name, text, imported }];
      });
  });
}

/** Whether a text of the declaration matches, also through the pieces of SQL that it uses. */
function finder(declarations: readonly Declaration[], table: RegExp) {
  const pieces = new Map<string, Set<string>>();
  const matches = ({ path, name, imported }: Declaration, text: string): boolean =>
    table.test(text) ||
    wordsOf(text).some(
      (word) => word !== name && (pieces.get(word)?.has(path) || (pieces.has(word) && imported.has(word))),
    );
  for (let before = -1, count = 0; before !== count;) {
    before = count;
    for (const found of declarations) {
      if (IS_SQL.test(found.text) && matches(found, found.text)) {
        pieces.set(found.name, (pieces.get(found.name) ?? new Set()).add(found.path));
      }
    }
    count = [...pieces.values()].reduce((sum, paths) => sum + paths.size, 0);
  }
  return matches;
}

function violations(files: Readonly<Record<string, string>>): string[] {
  const declarations = declarationsOf(files);
  const [isOfPosts, isOfUsers] = [finder(declarations, OF_POSTS), finder(declarations, OF_USERS)];
  return declarations.flatMap((found) =>
    stringsOf(found.text).some((sql) => isOfPosts(found, sql) && isOfUsers(found, sql))
      ? [`${found.path}: ${found.name}`]
      : [],
  );
}

describe("posts can move to another database than users", () => {
  test("no statement names both", () => {
    expect(Object.keys(sources).length).toBeGreaterThan(400);
    expect(violations(sources)).toEqual([]);
  });

  test("a statement that does is found, also in pieces", () => {
    const planted = {
      "a.ts":
        'const owners = (db: Db) =>\n  db.d1.prepare("SELECT 1 FROM posts p JOIN users u ON u.id = p.user_id");\n',
      "b.ts": "export const OPEN_POSTS = `SELECT 1 FROM posts p`;\n",
      "c.ts":
        'import { OPEN_POSTS } from "./b.ts";\nfunction count() {\n  return `SELECT 1 FROM users WHERE EXISTS (${OPEN_POSTS})`;\n}\n',
      "d.ts": 'const users = (db: Db) => db.d1.prepare("SELECT 1 FROM users");\n',
    };
    expect(violations(planted)).toEqual(["a.ts: owners", "c.ts: count"]);
  });
});
