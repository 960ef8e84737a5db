import { spawnSync } from "node:child_process";
import { join } from "node:path";

/*
 * The rows that D1 counts as read by each operation, in databases of different sizes: `npm run rows-read -- 1000,100000,1000000`, the
 * default. A million posts take some minutes.
 */

const ROOT = join(import.meta.dirname, "..");
const sizes = process.argv[2] ?? "1000,100000,1000000";
if (!/^\d+(,\d+)*$/.test(sizes)) {
  throw new Error("takes numbers of posts, separated by commas");
}
const { stdout, status } = spawnSync(
  process.execPath,
  [join(ROOT, "node_modules", "vitest", "vitest.mjs"), "run", "test/posts/rows-read.test.ts", "--silent=false"],
  {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, VITE_ROWS_READ_POSTS: sizes },
  },
);
const table = [...stdout.matchAll(/rows-read (.*)/g)].map(([, cells]) => (cells ?? "").split("\t"));
console.log(
  table.map(([name = "", ...rows]) => name.padEnd(32) + rows.map((cell) => cell.padStart(10)).join("")).join("\n"),
);
process.exitCode = status ?? 1;
