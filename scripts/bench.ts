import { availableParallelism, loadavg, tmpdir } from "node:os";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { requireValgrind } from "./bench/callgrind.ts";
import { measureBulk } from "./bench/bulk.ts";
import { printCosts } from "./bench/costs.ts";
import { buildFloor, compareAnswers, compareInstructions, printComparison } from "./bench/instructions.ts";
import { acceptFigures, findWorse } from "./bench/figures.ts";
import { comparePairs } from "./bench/pairs.ts";
import { prepare } from "./bench/prepared.ts";
import { isOperation, isRead, type Operation, OPERATIONS, READS } from "./bench/requests.ts";
import { printStart } from "./bench/start.ts";

/*
 * `npm run bench`: the instructions of the Worker per request, against a floor: a Worker without libraries that answers the same requests
 * with one D1 batch. `-- --operations "get,404"` chooses, `-- --runs 3` repeats, `-- --checkout <folder>` measures another copy of
 * the project, `-- --scope whole` counts the local D1, KV and R2 too. `-- --costs` prints what a post and each request cost.
 * `-- --check` fails when an operation takes 3 % more instructions than bench/figures.json says, and `-- --accept` writes that file.
 * `-- --start` counts the instructions of a start and of the first request.
 * `-- --bulk` measures the largest preview and confirm of many posts: milliseconds, statements, rows, bytes.
 * `-- --pairs` compares the pairs of preview and confirm per second with the floor's, by turns; with `--against <folder>` also with
 * another copy's.
 */

const POSTS = { posts: 2000, perDay: 10 };

const { values } = parseArgs({
  options: {
    checkout: { type: "string", default: dirname(import.meta.dirname) },
    operations: { type: "string" },
    "warm-up": { type: "string", default: "12" },
    requests: { type: "string", default: "25" },
    runs: { type: "string", default: "1" },
    scope: { type: "string", default: "worker" },
    costs: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    accept: { type: "boolean", default: false },
    start: { type: "boolean", default: false },
    bulk: { type: "boolean", default: false },
    pairs: { type: "boolean", default: false },
    against: { type: "string", default: "" },
  },
});

if (values.costs) {
  await printCosts();
  process.exit();
}
if (values.bulk) {
  console.log(`${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}`);
  await measureBulk(values.checkout);
  process.exit();
}
// Compare only reads with their accepted figures, because the instructions of a write differ by up to 8 % between runs.
const operations = values.operations?.split(",").filter(isOperation) ?? (values.check ? READS : OPERATIONS);
const workDir = await mkdtemp(join(tmpdir(), "almanac-bench-"));
try {
  const prepared = await prepare(values.checkout, join(workDir, "product"), POSTS);
  console.log(`${POSTS.posts} posts; ${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}`);
  if (values.start) {
    await requireValgrind();
    await printStart(prepared, join(workDir, "start"));
  } else if (values.pairs) {
    const floorState = join(workDir, "floor");
    await cp(prepared.stateDir, floorState, { recursive: true });
    const compared = new Map([
      ["product", prepared],
      ["floor", { ...prepared, modules: await buildFloor(), stateDir: floorState }],
    ]);
    if (values.against !== "") {
      compared.set(values.against, await prepare(values.against, join(workDir, "other"), POSTS));
    }
    await comparePairs(compared);
  } else {
    await requireValgrind();
    const count = async (run: string, counted: readonly Operation[]) => {
      const comparison = await compareInstructions(prepared, join(workDir, run), {
        operations: counted,
        warmUp: Number(values["warm-up"]),
        requests: Number(values.requests),
        scope: values.scope === "whole" ? "whole" : "worker",
      });
      printComparison(comparison);
      return comparison;
    };
    if (values.check) {
      // Writes have no accepted figures, but the floor Worker must answer them as the product does.
      const writes = OPERATIONS.filter((operation) => !isRead(operation));
      await compareAnswers(prepared, join(workDir, "answers"), writes);
    }
    for (let run = 1; run <= Number(values.runs); run += 1) {
      const comparison = await count(`run-${run}`, operations);
      if (values.accept) {
        await acceptFigures(comparison);
      } else if (values.check && (await findWorse(comparison)).length > 0) {
        // Measure once more, because a garbage collection may have run during most measurements.
        process.exitCode = (await findWorse(await count("again", operations))).length > 0 ? 1 : 0;
      }
    }
  }
} finally {
  await rm(workDir, { recursive: true, force: true });
}
