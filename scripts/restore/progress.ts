import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What the database is put back to. */
export type Goal =
  | { readonly kind: "bookmark"; readonly bookmark: string; readonly at: string }
  | { readonly kind: "backup"; readonly folder: string; readonly at: string };

/** In this order; after an interruption, the whole step runs again. */
export const STEPS = ["hold", "export", "put_back", "merge", "write", "files", "release"] as const;
export type Step = (typeof STEPS)[number];

/** How far a restore has come; written to disk before the next step begins. */
export interface Progress {
  readonly installation: string;
  readonly goal: Goal;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Whether nothing of the present is merged: there is none, or the operator said so. */
  readonly isPresentLost: boolean;
  readonly done: readonly Step[];
}

const FOLDER = "restoring";
const FILE = "progress.json";

/** The folder of the running restore, below the folder of the backups. */
export const restoreFolder = (root: string): string => join(root, FOLDER);

export async function readProgress(root: string): Promise<Progress | null> {
  const text = await readFile(join(restoreFolder(root), FILE), "utf8").catch(() => null);
  return text === null ? null : (JSON.parse(text) as Progress);
}

export async function writeProgress(root: string, progress: Progress): Promise<void> {
  await mkdir(restoreFolder(root), { recursive: true, mode: 0o700 });
  const file = join(restoreFolder(root), FILE);
  await writeFile(`${file}.new`, `${JSON.stringify(progress, null, 2)}\n`);
  await rename(`${file}.new`, file);
}

/** Ends the restore. Keeps the file of the earlier present, in case somebody misses something later. */
export async function keepPresent(root: string, name: string): Promise<string> {
  const folder = restoreFolder(root);
  for (const file of ["merged.sqlite", "current.sqlite", "target.sqlite"]) {
    await rm(join(folder, file), { force: true });
  }
  const kept = join(root, `before-restore-${name}`);
  await rename(folder, kept);
  return kept;
}
