import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createWriteStream, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeStream } from "node:stream/web";
import { getTableConfig } from "drizzle-orm/sqlite-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { partKey, writePart } from "#archive/part-file.ts";
import type { Services } from "#context.ts";
import { openDb } from "#db/client.ts";
import * as schema from "#db/schema.ts";
import { FILE_LIMITS, planFiles } from "#personal-data/export/plan-files.ts";
import type { DataExport } from "#personal-data/export/store-exports.ts";
import { POST_COLUMNS_WITHOUT, TARGET_COLUMNS_WITHOUT } from "#personal-data/export/to-json.ts";
import { writeFile } from "#personal-data/export/write-file.ts";
import { EXPORTED_TABLES, UNEXPORTED_TABLES } from "#personal-data/tables.ts";
import { seedPerson, type SeededPerson } from "../personal-data/seed-person.ts";
import { sqliteD1 } from "../support/sqlite-d1.ts";

/* The download of a person's data, unzipped by programs that are not ours and compared with the database. */

const NOW = Date.UTC(2031, 5, 15, 12);
const folder = mkdtempSync(join(tmpdir(), "almanac-zip-"));
const objects = new Map<string, Uint8Array>();
const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The files of a bucket in memory, with the methods that are used here. */
const bucket = {
  get: (key: string) => {
    const bytes = objects.get(key);
    return Promise.resolve(
      bytes === undefined ? null : { body: new Blob([bytes as Uint8Array<ArrayBuffer>]).stream(), etag: "1" },
    );
  },
  put: (key: string, bytes: ArrayBuffer) =>
    Promise.resolve({ key, size: objects.set(key, new Uint8Array(bytes)).size }),
} as unknown as Services["bucket"];

const d1 = sqliteD1();
const services = { db: openDb(d1), bucket, clock: { now: () => NOW } };

async function rowsOf(sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]> {
  return (
    await d1
      .prepare(sql)
      .bind(...values)
      .all()
  ).results;
}

/** A post as it was in the database, in a part of the archive. */
async function archivePost(person: SeededPerson): Promise<void> {
  const [workspaceId] = person.workspaceIds;
  const [post] = await rowsOf("SELECT * FROM posts WHERE workspace_id = ?", workspaceId);
  const targets = await rowsOf("SELECT * FROM post_targets WHERE post_id = ?", post?.["id"]);
  const part = { workspaceId, firstAt: Date.UTC(2029, 0, 5), id: "part-1" };
  const archived = { post: { ...post, id: "archived-1", caption: `${person.mark}-archived-caption` }, targets };
  await writePart(services, partKey(part), [archived as never]);
  await d1
    .prepare(
      `INSERT INTO archive_parts (workspace_id, first_at, id, user_id, last_at, published, partially_failed, failed, size_bytes,
         created_at, first_id, last_id, accounts, ids) VALUES (?, ?, ?, ?, 1, 1, 0, 0, 1, 1, 'a', 'b', '[]', x'00')`,
    )
    .bind(workspaceId, part.firstAt, part.id, person.userId)
    .run();
}

async function seed(mark: string): Promise<SeededPerson> {
  const hashes = [hashOf(`${mark} a`), hashOf(`${mark} b`)] as const;
  const person = await seedPerson(d1, mark, { hashes });
  for (const hash of hashes) {
    objects.set(`media/${hash}`, new TextEncoder().encode(`bytes of ${hash}`));
  }
  await archivePost(person);
  return person;
}

/** Writes the files of the download and unzips each into one folder; returns that and the files' names. */
async function download(person: SeededPerson, name: string, limits = FILE_LIMITS) {
  const files = await planFiles(services, person.workspaceIds, limits);
  const made: DataExport = {
    id: "export-1",
    userId: person.userId,
    sessionHash: "s",
    createdAt: NOW,
    expiresAt: NOW + 1,
    files: JSON.parse(JSON.stringify(files)) as DataExport["files"],
  };
  const into = join(folder, name);
  const zips: string[] = [];
  for (const [index, file] of made.files.entries()) {
    const zip = join(folder, `${name}-${index + 1}.zip`);
    const stream = writeFile(services, { ...made, email: person.email }, file);
    await pipeline(Readable.fromWeb(stream as unknown as NodeStream), createWriteStream(zip));
    expect(execFileSync("unzip", ["-tq", zip], { encoding: "utf8" })).toContain("No errors detected");
    execFileSync("unzip", ["-qn", zip, "-d", into]);
    zips.push(zip);
  }
  return { into, zips };
}

function filesIn(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .map((name) => join(path, name))
    .filter((name) => statSync(name).isFile())
    .map((name) => relative(path, name))
    .toSorted();
}

let person: SeededPerson;
let into: string;
let zips: readonly string[];
let everything: string;

const json = (name: string): Record<string, unknown>[] =>
  JSON.parse(readFileSync(join(into, `${name}.json`), "utf8")) as Record<string, unknown>[];

beforeAll(async () => {
  person = await seed("Wxyzdelia");
  await seed("Qvbnother");
  ({ into, zips } = await download(person, "whole"));
  everything = filesIn(into)
    .map((name) => `${name}\n${readFileSync(join(into, name), "utf8")}`)
    .join("\n");
});

afterAll(() => rmSync(folder, { recursive: true }));

/** The owner's rows of a table. */
async function ownRows(table: string, column: string): Promise<Record<string, unknown>[]> {
  const owners = column === "workspace_id" ? person.workspaceIds : [person.userId];
  return await rowsOf(
    `SELECT * FROM ${table} WHERE ${column} IN (SELECT value FROM json_each(?))`,
    JSON.stringify(owners),
  );
}

/** Every text inside a value, JSON in JSON too. */
const marksIn = (value: unknown, mark: string): string[] =>
  [...JSON.stringify(value).matchAll(new RegExp(`${mark}-[\\w-]+`, "g"))].map(([text]) => text);

describe("the download", () => {
  test("is one ZIP file that other programs read", () => {
    expect(zips).toHaveLength(1);
    const script =
      "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(len(z.namelist()))";
    const listed = execFileSync("python3", ["-c", script, zips[0] ?? ""], { encoding: "utf8" });
    expect(Number(listed)).toBe(filesIn(into).length);
    expect(readFileSync(join(into, "README.txt"), "utf8")).toContain("this file is all of it");
  });

  test.for(EXPORTED_TABLES.map((table) => [getTableConfig(table.table).name, table] as const))(
    "has every row and column of %s but those that are left out",
    async ([name, { column, file, without, about }]) => {
      const stored = await ownRows(name, column);
      const exported = json(file);
      expect(exported).toHaveLength(stored.length);
      const columns = getTableConfig(EXPORTED_TABLES.find((one) => one.file === file)!.table).columns;
      const kept = columns.map((one) => one.name).filter((one) => !without.includes(one));
      for (const row of exported) {
        expect(Object.keys(row)).toEqual(expect.arrayContaining(kept));
        expect(Object.keys(row).filter((one) => without.includes(one))).toEqual([]);
      }
      const left = (row: Record<string, unknown>) =>
        Object.fromEntries(Object.entries(row).filter(([one]) => !without.includes(one)));
      expect(exported.flatMap((row) => marksIn(row, person.mark)).toSorted()).toEqual(
        stored.flatMap((row) => marksIn(left(row), person.mark)).toSorted(),
      );
      expect(readFileSync(join(into, "README.txt"), "utf8")).toContain(`${file}.json`);
      expect(about.length).toBeGreaterThan(10);
    },
  );

  test("has the posts with their targets, and the archived ones in the same form", async () => {
    const [first, second] = [json("posts-1"), json("posts-2")].map((posts) => posts[0]);
    const archived = json("archived-posts-1")[0];
    const postColumns = getTableConfig(schema.posts).columns.map(({ name }) => name);
    const targetColumns = getTableConfig(schema.postTargets).columns.map(({ name }) => name);
    for (const post of [first, second, archived]) {
      expect(Object.keys(post ?? {}).toSorted()).toEqual(
        [
          ...postColumns.filter((name) => !POST_COLUMNS_WITHOUT.includes(name)),
          "targets",
          ...(post === archived ? [] : ["annotations"]),
        ].toSorted(),
      );
      const [target] = (post?.["targets"] ?? []) as Record<string, unknown>[];
      expect(Object.keys(target ?? {}).toSorted()).toEqual(
        targetColumns.filter((name) => !TARGET_COLUMNS_WITHOUT.includes(name)).toSorted(),
      );
      expect(target).toMatchObject({
        history: [expect.stringContaining("history")],
        started_at: "1970-01-01T00:00:00.001Z",
      });
    }
    const targets = [first, second].flatMap((post) => (post?.["targets"] ?? []) as { media: unknown }[]);
    expect(targets.map(({ media }) => media)).toEqual([
      [`${person.mark}-post_targets-media-0`],
      [`${person.mark}-post_targets-media-1`],
    ]);
    expect(archived).toMatchObject({ id: "archived-1", caption: `${person.mark}-archived-caption` });
  });

  test("has the files of the media, byte for byte", () => {
    const media = json("media");
    expect(media).toHaveLength(2);
    for (const { id, filename, sha256 } of media) {
      const bytes = readFileSync(join(into, "media", String(id), String(filename)), "utf8");
      expect(bytes).toBe(`bytes of ${String(sha256)}`);
    }
    expect(existsSync(join(into, "missing-files.txt"))).toBe(false);
  });

  test("has nothing of anybody else, and no secret, token or hash of one", () => {
    expect(everything).not.toContain("Qvbnother");
    for (const { table } of UNEXPORTED_TABLES) {
      expect(everything).not.toContain(`${person.mark}-${getTableConfig(table).name}-`);
    }
    const harmless = new Set(["token_expires_at", "previous_secret_until"]);
    const names = EXPORTED_TABLES.flatMap(({ table, without }) =>
      getTableConfig(table)
        .columns.map(({ name }) => name)
        .filter((name) => !without.includes(name)),
    );
    const posts = [...getTableConfig(schema.posts).columns, ...getTableConfig(schema.postTargets).columns]
      .map(({ name }) => name)
      .filter((name) => ![...POST_COLUMNS_WITHOUT, ...TARGET_COLUMNS_WITHOUT].includes(name));
    const suspicious = [...names, ...posts].filter((name) => /hash|sealed|secret|token|password|challenge/.test(name));
    expect(suspicious.filter((name) => !harmless.has(name))).toEqual([]);
  });

  test("in several files has the same contents, each file within the limits", async () => {
    const parts = await download(person, "parts", { bytes: 90, reads: 1 });
    expect(parts.zips.length).toBeGreaterThan(3);
    expect(filesIn(parts.into)).toEqual(filesIn(into));
    const readme = readFileSync(join(parts.into, "README.txt"), "utf8");
    expect(readme).toContain(`this is the first of ${parts.zips.length} files`);
    for (const name of filesIn(into).filter((file) => file !== "README.txt")) {
      expect(readFileSync(join(parts.into, name), "utf8"), name).toBe(readFileSync(join(into, name), "utf8"));
    }
  });

  test("names a file that is not there any more", async () => {
    objects.delete(`media/${person.hashes[0]}`);
    const { into: lacking } = await download(person, "lacking");
    const [missing] = readFileSync(join(lacking, "missing-files.txt"), "utf8").split("\n");
    expect(missing).toMatch(/^media\/[0-9a-f-]{36}\//);
    expect(filesIn(lacking)).toHaveLength(filesIn(into).length);
  });
});
