import { createHash, type Hash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { OperatorError, type StoredObject } from "./installation.ts";

/* The form of a backup. FOLDER/{time}/ contains its manifest, its database and its list of objects; FOLDER/objects/
   contains the objects of all backups, each once. The folder of an unfinished backup ends with `.part`, and has no
   manifest. */

const MANIFEST = "manifest.json";
export const DATABASE = "database.sqlite";
const OBJECTS_LIST = "objects.jsonl";
const UNFINISHED = ".part";
const FORMAT = 1;

interface FileFacts {
  readonly file: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

export interface Manifest {
  readonly format: typeof FORMAT;
  /** When the database was read. */
  readonly madeAt: string;
  readonly installation: string;
  /** The release that was running. Null if no service answered. */
  readonly serviceVersion: string | null;
  /** The bookmark of D1's Time Travel at that moment. */
  readonly bookmark: string | null;
  /** The ids of the keys that encrypt logins. No backup contains the keys themselves. */
  readonly tokenKeyIds: readonly string[];
  readonly migrations: readonly string[];
  readonly database: FileFacts & { readonly rows: Readonly<Record<string, number>> };
  readonly objects: FileFacts & { readonly count: number; readonly totalBytes: number };
}

/** One line in the list of a backup's objects. */
export interface ListedObject extends StoredObject {
  readonly sha256: string;
  /** The path below FOLDER. */
  readonly path: string;
}

export const backupName = (at: Date): string => at.toISOString().replaceAll(/[-:]|\.\d+/g, "");

export const unfinishedFolder = (root: string, name: string): string => join(root, `${name}${UNFINISHED}`);

export async function removeUnfinished(root: string): Promise<void> {
  for (const name of await readdir(root).catch(() => [])) {
    if (name.endsWith(UNFINISHED)) {
      await rm(join(root, name), { recursive: true });
    }
  }
}

export async function factsOf(folder: string, file: string): Promise<FileFacts> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(join(folder, file)), hash);
  return { file, sizeBytes: (await stat(join(folder, file))).size, sha256: hash.digest("hex") };
}

/**
 * The path of an object's bytes. An archive file can be replaced under the same key, so its path contains the version.
 */
export function pathOfObject({ key, etag }: StoredObject): string {
  if (!/^[\w.-]+(?:\/[\w.-]+)*$/.test(key) || key.split("/").includes("..") || !/^[\w-]+$/.test(etag)) {
    throw new OperatorError(`the bucket has an object with an unexpected name: ${JSON.stringify(key)}`, "remove it");
  }
  return join("objects", key.startsWith("media/") ? key : `${key}.${etag}`);
}

/** Stores a stream under a temporary name, and renames it when it is complete. */
export async function storeObject(root: string, object: StoredObject, body: AsyncIterable<Uint8Array>): Promise<void> {
  const target = join(root, pathOfObject(object));
  await mkdir(dirname(target), { recursive: true });
  const hash = createHash("sha256");
  const temporary = `${target}${UNFINISHED}`;
  await pipeline(Readable.from(body), hashing(hash), createWriteStream(temporary));
  const { size } = await stat(temporary);
  const sha256 = hash.digest("hex");
  if (size !== object.sizeBytes || (object.key.startsWith("media/") && object.key !== `media/${sha256}`)) {
    await rm(temporary);
    throw new OperatorError(`${object.key} did not arrive whole`, "run the command again");
  }
  await rename(temporary, target);
}

function hashing(hash: Hash): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
}

/** Whether the object's bytes are already stored. They were checked when they were stored. */
export async function hasObject(root: string, object: StoredObject): Promise<boolean> {
  const found = await stat(join(root, pathOfObject(object))).catch(() => null);
  return found?.size === object.sizeBytes;
}

export async function writeObjectsList(folder: string, objects: readonly ListedObject[]): Promise<Manifest["objects"]> {
  await writeFile(join(folder, OBJECTS_LIST), objects.map((object) => `${JSON.stringify(object)}\n`).join(""));
  const totalBytes = objects.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return { ...(await factsOf(folder, OBJECTS_LIST)), count: objects.length, totalBytes };
}

export async function readObjectsList(backup: string): Promise<ListedObject[]> {
  const text = await readFile(join(backup, OBJECTS_LIST), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as ListedObject);
}

export async function finishBackup(unfinished: string, manifest: Manifest): Promise<string> {
  await writeFile(join(unfinished, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
  const finished = unfinished.slice(0, -UNFINISHED.length);
  await rename(unfinished, finished);
  return finished;
}

async function readManifest(backup: string): Promise<Manifest | null> {
  try {
    const manifest = JSON.parse(await readFile(join(backup, MANIFEST), "utf8")) as Manifest;
    return manifest.format === FORMAT && !backup.replace(/\/+$/, "").endsWith(UNFINISHED) ? manifest : null;
  } catch {
    return null;
  }
}

/** Returns the manifest of a backup, if all its files are as they were written. */
export async function checkBackup(backup: string): Promise<Manifest> {
  const manifest = await readManifest(backup);
  if (manifest === null) {
    throw new OperatorError(
      `${backup} is not a whole backup`,
      "name a folder with a manifest.json, which `npm run backup` writes last",
    );
  }
  for (const expected of [manifest.database, manifest.objects]) {
    const facts = await factsOf(backup, expected.file).catch(() => null);
    if (facts?.sha256 !== expected.sha256) {
      throw new OperatorError(
        `${join(backup, expected.file)} is damaged: its checksum is another`,
        "use another backup",
      );
    }
  }
  return manifest;
}

/** The newest complete backup that is not younger than `at`. */
export async function findBackup(root: string, at: Date): Promise<string | null> {
  const names = (await readdir(root).catch((): string[] => [])).toSorted().toReversed();
  for (const name of names) {
    const manifest = await readManifest(join(root, name));
    if (manifest !== null && Date.parse(manifest.madeAt) <= at.getTime()) {
      return join(root, name);
    }
  }
  return null;
}
