import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/*
 * Runs a command and its child processes as if they began at another time: `npm run at -- 2028-02-29T12:00:00Z npm run guides`. Needs Linux
 * with glibc and a C compiler. Certificates of other hosts may not be valid at that time.
 */

const [at = "", command = "", ...args] = process.argv.slice(2);
const begin = Date.parse(at);
if (!/^\d{4}-.*Z$/.test(at) || Number.isNaN(begin) || command === "") {
  throw new Error("takes an instant and a command, as in: 2028-02-29T12:00:00Z npm run guides");
}
const folder = mkdtempSync(join(tmpdir(), "almanac-at-"));
try {
  const clock = join(folder, "clock.so");
  const aheadSeconds = Math.round((begin - Date.now()) / 1000);
  const source = join(import.meta.dirname, "at", "clock.c");
  execFileSync("cc", ["-shared", "-fPIC", "-O2", `-DAHEAD_SECONDS=${aheadSeconds}`, "-o", clock, source]);
  const { status } = spawnSync(command, args, { stdio: "inherit", env: { ...process.env, LD_PRELOAD: clock } });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
