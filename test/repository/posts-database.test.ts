import { describe, expect, test } from "vitest";

/*
 * Posts may one day be in several databases. `dbFor` is the only door to them: a function with a statement about posts takes a `Db`,
 * which the compiler lets nobody else make, and no statement joins posts with users, who will be in another database.
 */

const sources = import.meta.glob<string>("/src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });

const OF_POSTS = /\b(?:FROM|JOIN|UPDATE|INTO) (?:posts|post_targets|post_media|post_days|post_totals|archive_parts)\b/;
const OF_USERS = /\b(?:FROM|JOIN) users\b/;
const MAKES_ONE = /\bas Db\b/;

interface Declaration {
  readonly name: string;
  readonly text: string;
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
}

/** The declarations of a file, each from its own line to the next one. */
function declarationsOf(source: string): Declaration[] {
  return withoutComments(source)
    .split(/^(?=(?:export )?(?:async )?(?:function|const|class|interface|type) )/m)
    .flatMap((text) => {
      const name = /^(?:export )?(?:async )?(?:function|const|class|interface|type) (\w+)/.exec(text)?.[1];
      return name === undefined ? [] : [{ name, text }];
    });
}

/** A constant, or a function that returns text. */
const IS_SQL = /^(?:export )?const [A-Z]|^(?:export )?(?:const|function) [^;{]*\): string\b/;
const takesDb = (text: string): boolean => /\bdb: (?:Db|Db)\b/.test(text);
const wordsOf = (text: string): string[] => text.match(/\b\w+\b/g) ?? [];
const textsOf = (text: string): string[] => text.match(/`[^`]*`|"[^"\n]*"/g) ?? [];

/** What is wrong with these files; a piece of SQL that is used elsewhere counts where it is used. */
function violations(files: Readonly<Record<string, string>>): string[] {
  const declarations = Object.entries(files).flatMap(([path, source]) => {
    const imported = new Set(wordsOf((source.match(/^import [^;]*;/gm) ?? []).join(" ")));
    return declarationsOf(source).map((declaration) => ({ path, imported, ...declaration }));
  });
  type Found = (typeof declarations)[number];
  /** By name, with the files that have one; a file sees its own and those that it imports. */
  const pieces = new Map<string, Set<string>>();
  const isAboutPosts = ({ path, imported, name }: Found, text: string): boolean =>
    OF_POSTS.test(text) ||
    wordsOf(text).some(
      (word) => word !== name && (pieces.get(word)?.has(path) || (pieces.has(word) && imported.has(word))),
    );
  for (let before = -1, count = 0; before !== count;) {
    before = count;
    for (const found of declarations) {
      if (!takesDb(found.text) && IS_SQL.test(found.text) && isAboutPosts(found, found.text)) {
        pieces.set(found.name, (pieces.get(found.name) ?? new Set()).add(found.path));
      }
    }
    count = [...pieces.values()].reduce((sum, paths) => sum + paths.size, 0);
  }
  return declarations.flatMap((found) => {
    const { path, name, text } = found;
    return [
      ...(/\bdb: Db\b/.test(text) && isAboutPosts(found, text) ? [`${path}: ${name} takes any database`] : []),
      ...(textsOf(text).some((sql) => OF_USERS.test(sql) && isAboutPosts(found, sql))
        ? [`${path}: ${name} joins posts with users`]
        : []),
      ...(MAKES_ONE.test(text) && name !== "undividedPostsDb" ? [`${path}: ${name} makes a database of posts`] : []),
    ];
  });
}

describe("the database of posts", () => {
  test("statements about posts take the database that dbFor gives, and never name users", () => {
    expect(Object.keys(sources).length).toBeGreaterThan(400);
    expect(violations(sources)).toEqual([]);
  });

  test("each kind of violation is found", () => {
    const planted = {
      "a.ts": 'export function selectPosts(db: Db) {\n  return db.d1.prepare("SELECT 1 FROM posts");\n}\n',
      "b.ts":
        "const OPEN_POSTS = `SELECT 1 FROM posts p`;\nfunction countOpen(db: Db) {\n  return db.d1.prepare(OPEN_POSTS);\n}\n",
      "c.ts":
        'function selectOwners(db: Db) {\n  return db.d1.prepare("SELECT 1 FROM posts p JOIN users u ON u.id = p.user_id");\n}\n',
      "d.ts": "const mine = (db: Db) => db as Db;\n",
      "e.ts": 'function selectUsers(db: Db) {\n  return db.d1.prepare("SELECT 1 FROM users");\n}\n',
    };
    expect(violations(planted)).toEqual([
      "a.ts: selectPosts takes any database",
      "b.ts: countOpen takes any database",
      "c.ts: selectOwners joins posts with users",
      "d.ts: mine makes a database of posts",
    ]);
  });
});
