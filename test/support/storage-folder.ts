import { existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs";

const MEMORY = "/dev/shm";
const NEEDED_BYTES = 4 * 1024 ** 3;

/** Containers often have only 64 MB there, and the files of `npm run test:long` are larger. */
function hasMemory(): boolean {
  if (!existsSync(MEMORY)) {
    return false;
  }
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= NEEDED_BYTES;
}

/**
 * Keeps databases and objects of the tests in memory. The local runtime syncs every change to the disk before it answers,
 * and a file of tests begins with the deletion of everything. Runs in Node.
 */
export function keepStorageInMemory(): void {
  if (hasMemory()) {
    const folder = mkdtempSync(`${MEMORY}/almanac-tests-`);
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    process.env["TMPDIR"] = folder;
  }
}
