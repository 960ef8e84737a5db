import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { LAST_RELEASE } from "./upgrade/last-release.ts";

/** Tests of the release that cannot pass on later tables, with the reason. Any other failure shows a migration that is not additive. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "test/repository/**": "about the files of the release, not about tables",
  "test/deploy/**": "uploads the release with migrations of its own",
  "test/db/migrations.test.ts": "about the migrations themselves",
  "test/publisher/rows-written.test.ts": "exact numbers of rows: a later trigger writes more or fewer",
  "test/journeys/costs-of-a-post.test.ts": "exact numbers of rows and statements",
};

const ROOT = path.join(import.meta.dirname, "..");
const git = (...args: string[]): string => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();

/** Links to the files of this folder where both want the same packages; else what the release wants. */
function installPackages(folder: string): void {
  const lockOf = (at: string): string => readFileSync(path.join(at, "package-lock.json"), "utf8");
  const linked =
    lockOf(folder) === lockOf(ROOT) &&
    spawnSync("cp", ["-al", path.join(ROOT, "node_modules"), path.join(folder, "node_modules")]).status === 0;
  if (!linked) {
    execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--silent"], { cwd: folder, stdio: "inherit" });
  }
}

function check(from: string, only: readonly string[]): number {
  const folder = mkdtempSync(path.join(tmpdir(), "almanac-upgrade-"));
  rmSync(folder, { recursive: true });
  git("worktree", "add", "--quiet", "--detach", folder, from);
  try {
    console.log(`Tests of ${from} on the migrations of ${git("rev-parse", "--short", "HEAD")}, without`);
    for (const [pattern, reason] of Object.entries(LEFT_OUT)) {
      console.log(`  ${pattern.padEnd(44)} ${reason}`);
    }
    installPackages(folder);
    rmSync(path.join(folder, "migrations"), { recursive: true });
    cpSync(path.join(ROOT, "migrations"), path.join(folder, "migrations"), { recursive: true });
    spawnSync("node", ["scripts/assets.ts"], { cwd: folder });
    // The tests are excluded here, because vitest does not pass `--exclude` on to a project.
    for (const pattern of Object.keys(LEFT_OUT)) {
      rmSync(path.join(folder, pattern.replace(/\/\*\*$/, "")), { recursive: true, force: true });
    }
    const run = spawnSync("npx", ["vitest", "run", "--project", "workers", ...only], {
      cwd: folder,
      stdio: "inherit",
    });
    return run.status ?? 1;
  } finally {
    git("worktree", "remove", "--force", folder);
  }
}

const { values, positionals } = parseArgs({
  options: { from: { type: "string" } },
  allowPositionals: true,
});
const from = values.from ?? LAST_RELEASE?.tag;
if (from === undefined) {
  console.log("There is no release yet that could run on these tables.");
} else {
  process.exitCode = check(from, positionals);
}
