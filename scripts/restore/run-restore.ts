import { existsSync } from "node:fs";
import { copyFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { openDb } from "#db/client.ts";
import { recountDays } from "#posts/summary/recount-days.ts";
import { setAsideStatements } from "#publisher/restore/store-set-aside.ts";
import { readService, startReview } from "#restore/store-service.ts";
import { DATABASE, readObjectsList } from "../backup/folder.ts";
import { FileFailure, type Installation, OperatorError } from "../backup/installation.ts";
import { differenceBatches } from "./difference.ts";
import { mergeDatabases } from "./merge-databases.ts";
import { type Progress, restoreFolder, type Step, STEPS, writeProgress } from "./progress.ts";
import { applyMigrations, tablesOf, UnknownMigration } from "./sqlite-file.ts";

/** Runs that were claimed before the hold end within this time; the review looks up the others at their platforms. */
const WAIT_FOR_RUNS_MS = 60_000;
const POLL_MS = 2000;
/** Posts that change while they are written are written in the next pass. */
const MAX_PASSES = 10;
const TRIES = 5;
const MAX_NAMED_FILES = 20;
const KEYS_PER_READ = 500;

interface RestoreRun {
  readonly installation: Installation;
  /** The folder of the backups. */
  readonly root: string;
  readonly say: (line: string) => void;
}

const fileIn = (root: string, name: string): string => join(restoreFolder(root), `${name}.sqlite`);

async function hasTables({ database }: Installation): Promise<boolean> {
  const { results } = await database
    .prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'service'")
    .all();
  return results.length > 0;
}

/** Stops publishing: every claim checks this column in its own statement. */
async function holdService({ database }: Installation): Promise<void> {
  await database.prepare("UPDATE service SET held = 'restored', reviewed_to = ''").run();
}

/** Switches the recording of events off, so that receivers of webhooks hear nothing twice; the last table switches it on again. */
async function stopEvents({ database }: Installation): Promise<void> {
  await database.prepare("UPDATE event_logs SET recording = 0").run();
}

async function hold({ installation, say }: RestoreRun): Promise<void> {
  if (!(await hasTables(installation))) {
    say("  The database has no tables: nothing to hold");
    return;
  }
  await holdService(installation);
  for (const deadline = Date.now() + WAIT_FOR_RUNS_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    const { results } = await installation.database
      .prepare("SELECT count(*) AS n FROM posts WHERE status = 'publishing'")
      .all<{ n: number }>();
    if ((results[0]?.n ?? 0) === 0) {
      return;
    }
    say(`  Waiting for ${results[0]?.n} posts that are being published`);
  }
}

/** Writes a file whole or not at all. */
async function exportTo({ installation, root }: RestoreRun, name: string): Promise<string> {
  const file = fileIn(root, name);
  await installation.exportDatabase(`${file}.new`);
  await rename(`${file}.new`, file);
  return file;
}

/** A copy with the schema of this folder. */
async function copyWithSchema(from: string, to: string): Promise<void> {
  await rm(to, { force: true });
  await copyFile(from, to);
  const database = new DatabaseSync(to, { enableForeignKeyConstraints: false });
  try {
    await applyMigrations(database);
  } catch (error) {
    if (error instanceof UnknownMigration) {
      throw new OperatorError(
        `${from} was written by a later version: it has the migration ${error.message}`,
        "check out the version that made it, then run the command again",
      );
    }
    throw error;
  } finally {
    database.close();
  }
}

/** Whether there is anything to merge: a database without users is a new one. */
function hasUsers(file: string): boolean {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const hasTable = tablesOf(database).some(({ name }) => name === "users");
    return hasTable && database.prepare("SELECT 1 FROM users LIMIT 1").get() !== undefined;
  } finally {
    database.close();
  }
}

async function putBack({ installation, say }: RestoreRun, { goal }: Progress): Promise<void> {
  if (goal.kind === "bookmark") {
    await installation.travelTo(goal.bookmark);
    if (await hasTables(installation)) {
      await holdService(installation);
    }
    say(`  The database is as it was at ${goal.at}`);
  }
  await installation.migrate();
  await holdService(installation);
  await stopEvents(installation);
}

/** What the database becomes: the restored state merged with the present; after Time Travel, the present alone. */
async function merge(run: RestoreRun, { goal, startedAt, isPresentLost }: Progress): Promise<void> {
  const { root, say } = run;
  const merged = fileIn(root, "merged");
  await rm(merged, { force: true });
  const present = fileIn(root, "present");
  const presentCopy = fileIn(root, "target");
  if (!isPresentLost) {
    await copyWithSchema(present, presentCopy);
  }
  const restored = goal.kind === "backup" ? join(goal.folder, DATABASE) : await exportTo(run, "current");
  await copyWithSchema(restored, merged);
  const counts = mergeDatabases({
    target: merged,
    restored: await copyBeside(merged, fileIn(root, "current")),
    present: isPresentLost ? null : presentCopy,
    startedAt,
  });
  say(
    isPresentLost
      ? "  Nothing of the present is merged"
      : `  Merged: ${counts.added} posts were made since, ${counts.advanced} were changed since, ${counts.broughtBack} had been lost`,
  );
}

async function copyBeside(from: string, to: string): Promise<string> {
  await rm(to, { force: true });
  await copyFile(from, to);
  return to;
}

/** The target state, made of the database as it is now and the merge. */
async function targetOf(run: RestoreRun, { startedAt }: Progress): Promise<{ current: string; target: string }> {
  const current = await exportTo(run, "current");
  const target = await copyBeside(current, fileIn(run.root, "target"));
  mergeDatabases({ target, restored: current, present: fileIn(run.root, "merged"), startedAt });
  return { current, target };
}

/** Every batch can be repeated, because it sets values and adds nothing. */
async function send({ installation }: RestoreRun, statements: readonly { sql: string; rows: string }[]): Promise<void> {
  const { database } = installation;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await database.batch(statements.map(({ sql, rows }) => database.prepare(sql).bind(rows)));
      return;
    } catch (error) {
      if (attempt >= TRIES) {
        throw error;
      }
      await sleep(attempt * 1000);
    }
  }
}

async function write(run: RestoreRun, progress: Progress): Promise<void> {
  await holdService(run.installation);
  await stopEvents(run.installation);
  const first = await targetOf(run, progress);
  for (const batch of differenceBatches(first.current, first.target, "accounts")) {
    await send(run, batch);
  }
  for (let pass = 1; ; pass += 1) {
    const { current, target } = await targetOf(run, progress);
    let batches = 0;
    for (const batch of differenceBatches(current, target, "posts")) {
      await send(run, batch);
      batches += 1;
    }
    if (batches === 0) {
      break;
    }
    run.say(`  Pass ${pass}: ${batches} batches of posts written`);
    if (pass === MAX_PASSES) {
      throw new OperatorError("posts keep changing", "run the command again");
    }
  }
  const db = openDb(run.installation.database);
  const { corrected } = await recountDays({ db }, () => undefined);
  run.say(`  ${corrected} days had wrong counters`);
  const last = await targetOf(run, progress);
  for (const batch of differenceBatches(last.current, last.target, "events")) {
    await send(run, batch);
  }
}

interface NeededFile {
  readonly key: string;
  readonly contentType: string;
}

function neededFiles(file: string): NeededFile[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database
      .prepare(
        `SELECT DISTINCT 'media/' || sha256 AS key, content_type AS contentType FROM media WHERE state IN ('ready', 'expiring') AND sha256 IS NOT NULL
         UNION ALL SELECT 'archive/' || workspace_id || '/' || strftime('%Y-%m', first_at / 1000, 'unixepoch') || '/' || id || '.jsonl.gz', 'application/gzip' FROM archive_parts`,
      )
      .all() as unknown as NeededFile[];
  } finally {
    database.close();
  }
}

/** Copies files from the backup that the restored rows need and the bucket no longer has. */
async function restoreFiles({ installation, root, say }: RestoreRun, { goal }: Progress): Promise<void> {
  const needed = neededFiles(fileIn(root, "target"));
  const there = new Set<string>();
  for await (const { key } of installation.objects()) {
    there.add(key);
  }
  const kept =
    goal.kind === "backup" ? new Map((await readObjectsList(goal.folder)).map((object) => [object.key, object])) : null;
  let uploaded = 0;
  const missing = new Map<string, string>();
  for (const { key, contentType } of needed.filter((file) => !there.has(file.key))) {
    const path = kept?.get(key)?.path;
    const file = path === undefined ? null : join(root, path);
    if (file === null || !existsSync(file)) {
      missing.set(key, "no backup has it");
      continue;
    }
    try {
      await installation.writeObject(key, file, contentType);
      uploaded += 1;
    } catch (error) {
      if (!(error instanceof FileFailure)) {
        throw error;
      }
      missing.set(key, error.message);
    }
  }
  say(`  ${uploaded} files were put back into the bucket, ${missing.size} are missing`);
  for (const [key, why] of [...missing].slice(0, MAX_NAMED_FILES)) {
    say(`    missing: ${key}: ${why}`);
  }
  const paused = await pausePostsOf(installation, [...missing.keys()]);
  if (paused > 0) {
    say(`  ${paused} posts need a missing file and are paused; all others go on`);
  }
}

/** A post without its file would fail at its time; its owner resumes it when the file is there, or gives it another. */
async function pausePostsOf({ database }: Installation, keys: readonly string[]): Promise<number> {
  const db = openDb(database);
  let paused = 0;
  for (let at = 0; at < keys.length; at += KEYS_PER_READ) {
    const { results } = await database
      .prepare(
        `SELECT DISTINCT p.id, p.version FROM media m CROSS JOIN post_media u ON u.media_id = m.id CROSS JOIN posts p ON p.id = u.post_id
         WHERE 'media/' || m.sha256 IN (SELECT value FROM json_each(?1)) AND p.status = 'scheduled'`,
      )
      .bind(JSON.stringify(keys.slice(at, at + KEYS_PER_READ)))
      .all<{ id: string; version: number }>();
    const posts = results.map((post) => ({ ...post, knownVersion: post.version, lookUp: false, runId: "" }));
    await database.batch(setAsideStatements(db, posts, Date.now()));
    paused += posts.length;
  }
  return paused;
}

/** The cron does the rest: it compares each post with its object, then allows publishing under a new epoch. */
async function release({ installation, say }: RestoreRun): Promise<void> {
  await startReview(openDb(installation.database));
  say("  The cron compares each post with its object, then publishes again");
}

const WORK: Readonly<Record<Step, (run: RestoreRun, progress: Progress) => Promise<void>>> = {
  hold,
  export: async (run) => {
    await exportTo(run, "present");
  },
  put_back: putBack,
  merge,
  write,
  files: restoreFiles,
  release,
};

const SENTENCES: Readonly<Record<Step, string>> = {
  hold: "Publishing stops",
  export: "The present is kept",
  put_back: "The database goes back",
  merge: "What was done since is merged",
  write: "The merged state is written",
  files: "Files",
  release: "Release",
};

/** Does the remaining steps. After a kill at any point, the next call completes the restore; the service stays held until the last step. */
export async function runRestore(run: RestoreRun, begun: Progress): Promise<Progress> {
  const done = [...begun.done];
  let { isPresentLost } = begun;
  const progress = (): Progress => ({ ...begun, isPresentLost, done });
  for (const step of STEPS.filter((one) => !begun.done.includes(one))) {
    run.say(`- ${SENTENCES[step]}`);
    await WORK[step](run, progress());
    isPresentLost ||= step === "export" && !hasUsers(fileIn(run.root, "present"));
    done.push(step);
    await writeProgress(run.root, progress());
  }
  return progress();
}

/** Waits until the cron has released the service; false where it has not within the time. */
export async function waitForRelease(installation: Installation, timeoutMs: number): Promise<boolean> {
  const db = openDb(installation.database);
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await sleep(POLL_MS)) {
    if ((await readService(db)).held === null) {
      return true;
    }
  }
  return false;
}
