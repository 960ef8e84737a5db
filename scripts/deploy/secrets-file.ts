import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = ".wrangler/deploy-secrets";

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Deletes the files of runs that were killed before they could do so. */
export function deleteLeftovers(): void {
  try {
    for (const name of readdirSync(FOLDER)) {
      if (!isRunning(Number.parseInt(name, 10))) {
        rmSync(join(FOLDER, name), { force: true });
      }
    }
  } catch {
    // There is no such folder before the first run.
  }
}

/**
 * Writes the secrets where only this user can read them, and deletes them whatever happens: also at the exit after Ctrl-C.
 * They are JSON, because wrangler replaces `$NAME` in other files.
 */
export async function withSecretsFile<T>(
  secrets: ReadonlyMap<string, string>,
  work: (path: string) => Promise<T>,
): Promise<T> {
  mkdirSync(FOLDER, { recursive: true, mode: 0o700 });
  const path = join(FOLDER, `${process.pid}.json`);
  const remove = () => rmSync(path, { force: true });
  process.on("exit", remove);
  try {
    writeFileSync(path, JSON.stringify(Object.fromEntries(secrets)), { mode: 0o600 });
    return await work(path);
  } finally {
    remove();
    process.off("exit", remove);
  }
}
