import { spawn, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";

/*
 * Runs the model test for a given time: `npm run model -- [--minutes 10] [--seed N]`, or with every pair of failures:
 * `npm run model -- --double-failures`. The exit code is 1 if a run violates an invariant. Its seed is then added to
 * test/publisher/known-seeds.json, whose seeds every run replays first.
 */

const ROOT = join(import.meta.dirname, "..");

const KNOWN_SEEDS = join(ROOT, "test", "publisher", "known-seeds.json");

interface KnownSeed {
  readonly seed: number;
}

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string" },
    "double-failures": { type: "boolean", default: false },
  },
});
const minutes = Number(values.minutes);
const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
if (!(minutes > 0) || !Number.isInteger(seed)) {
  throw new Error("--minutes takes a positive number and --seed an integer");
}
const [file, variables] = values["double-failures"]
  ? ["double-failures", { VITE_ALL_PAIRS: "1" }]
  : ["model", { VITE_MODEL_MINUTES: String(minutes), VITE_MODEL_SEED: String(seed) }];
console.log(values["double-failures"] ? "every pair of failures" : `seed ${seed}, ${minutes} minutes`);
const vitest = spawn(
  process.execPath,
  [
    join(ROOT, "node_modules", "vitest", "vitest.mjs"),
    "run",
    `test/publisher/${file}.test.ts`,
    // By default vitest shows only the output of failing tests, which would hide the progress.
    "--silent=false",
  ],
  { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...variables } },
);
let output = "";
vitest.stdout.setEncoding("utf8").on("data", (chunk: string) => {
  process.stdout.write(chunk);
  output += chunk;
});
const [status] = (await once(vitest, "close")) as [number | null];
const failures = [...output.matchAll(/model-failure (\{.*\})/g)].map(([, json]) => JSON.parse(json ?? "") as KnownSeed);
if (failures.length > 0) {
  const known = JSON.parse(await readFile(KNOWN_SEEDS, "utf8")) as KnownSeed[];
  const added = failures.filter(({ seed: failed }) => known.every((one) => one.seed !== failed));
  await writeFile(KNOWN_SEEDS, JSON.stringify([...known, ...added], null, 2));
  spawnSync(process.execPath, [join(ROOT, "node_modules", "oxfmt", "bin", "oxfmt"), KNOWN_SEEDS], { cwd: ROOT });
  console.log(`${added.length} new in test/publisher/known-seeds.json; commit it with the fix`);
}
process.exitCode = status ?? 1;
