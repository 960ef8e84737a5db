import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pipeline } from "node:stream/promises";
import { SEALED_COLUMNS, sealedPerKeySql } from "#db/sealed-columns.ts";
import { appliedMigrations, tablesOf } from "../restore/sqlite-file.ts";
import {
  backupName,
  DATABASE,
  factsOf,
  finishBackup,
  hasObject,
  type ListedObject,
  type Manifest,
  pathOfObject,
  removeUnfinished,
  storeObject,
  unfinishedFolder,
  writeObjectsList,
} from "./folder.ts";
import { type Installation, OperatorError, type StoredObject } from "./installation.ts";

/** The prefix of bytes of uploads in progress, to which nothing refers after a day. */
const STAGING = "incoming/";

interface DatabaseFacts {
  readonly rows: Readonly<Record<string, number>>;
  readonly migrations: readonly string[];
  readonly tokenKeyIds: readonly string[];
}

/** Reads the exported file as a restore would, and throws if the restore would fail. */
function inspectDatabase(file: string): DatabaseFacts {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const check = database.prepare("PRAGMA integrity_check").get() as { integrity_check: string } | undefined;
    const migrations = appliedMigrations(database);
    if (check?.integrity_check !== "ok" || migrations.length === 0) {
      throw new OperatorError("the exported database is not whole", "run the command again");
    }
    const tables = tablesOf(database);
    const count = (name: string) => Number(database.prepare(`SELECT count(*) AS n FROM "${name}"`).get()?.["n"]);
    const sealed = SEALED_COLUMNS.filter(([table]) => tables.some(({ name }) => name === table));
    const keys = (sealed.length === 0 ? [] : database.prepare(sealedPerKeySql(sealed)).all()) as { id: string }[];
    return {
      rows: Object.fromEntries(tables.map(({ name }) => [name, count(name)])),
      migrations,
      tokenKeyIds: keys.map(({ id }) => id),
    };
  } finally {
    database.close();
  }
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

/** Fetches the objects that no earlier backup has. */
async function collectObjects(
  installation: Installation,
  root: string,
): Promise<{ readonly objects: ListedObject[]; readonly fetched: number }> {
  const objects: ListedObject[] = [];
  let fetched = 0;
  const collect = async (object: StoredObject): Promise<void> => {
    if (!(await hasObject(root, object))) {
      const body = await installation.readObject(object.key);
      if (body === null) {
        // The object was deleted after it was listed, so the database does not need it any more.
        return;
      }
      await storeObject(root, object, body);
      fetched += 1;
    }
    const path = pathOfObject(object);
    const sha256 = object.key.startsWith("media/")
      ? object.key.slice("media/".length)
      : await sha256Of(join(root, path));
    objects.push({ ...object, sha256, path });
  };
  for await (const object of installation.objects()) {
    if (!object.key.startsWith(STAGING)) {
      await collect(object);
    }
  }
  return { objects, fetched };
}

/**
 * Makes one backup below `root`. An interrupted run leaves nothing that looks like a backup, and the next run keeps
 * copied objects.
 */
export async function makeBackup(
  installation: Installation,
  root: string,
  say: (line: string) => void,
): Promise<{ readonly folder: string; readonly manifest: Manifest }> {
  await removeUnfinished(root);
  const at = new Date();
  const unfinished = unfinishedFolder(root, backupName(at));
  await mkdir(unfinished, { recursive: true });
  const bookmark = await installation.bookmark();
  const serviceVersion = await installation.runningVersion();
  say(`Database of ${installation.name}`);
  await installation.exportDatabase(join(unfinished, DATABASE));
  const { rows, migrations, tokenKeyIds } = inspectDatabase(join(unfinished, DATABASE));
  say(`${rows["posts"] ?? 0} posts, ${rows["users"] ?? 0} users, sealed with ${tokenKeyIds.join(", ") || "no key"}`);
  say("Files");
  const { objects, fetched } = await collectObjects(installation, root);
  say(`${objects.length} files, ${fetched} of them new`);
  const manifest: Manifest = {
    format: 1,
    madeAt: at.toISOString(),
    installation: installation.name,
    serviceVersion,
    bookmark,
    tokenKeyIds,
    migrations,
    database: { ...(await factsOf(unfinished, DATABASE)), rows },
    objects: await writeObjectsList(unfinished, objects),
  };
  return { folder: await finishBackup(unfinished, manifest), manifest };
}
