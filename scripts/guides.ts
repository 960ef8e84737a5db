import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildCli } from "./cli/build.ts";
import { type GuideResult, runGuide } from "./guides/run-guide.ts";
import { withService } from "./service.ts";

/*
 * Runs every command of the guides in docs/guide against the service and compares every answer with the one that the guide shows:
 * `npm run guides -- [name of a guide …] [--origin http://localhost:8787] [--show]`. `--show` prints what
 * each command printed. Needs bash, curl, jq and python3.
 */

const FOLDER = join(import.meta.dirname, "..", "docs", "guide");
const AT_ONCE = 4;
/** Guides in which a post becomes due or an event arrives. */
const WAITS: ReadonlySet<string> = new Set(["first-post.md", "webhooks.md"]);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { origin: { type: "string" }, show: { type: "boolean", default: false } },
});
const guides = readdirSync(FOLDER).filter(
  (file) => positionals.length === 0 || positionals.includes(file.replace(/\.md$/, "")),
);

const started = Date.now();
await buildCli();
const results = await withService(values.origin, async (origin) => {
  // The longest guides start first. More at once would only wait for each other's password hashes.
  const waiting = guides.toSorted((one, other) => Number(WAITS.has(other)) - Number(WAITS.has(one)));
  const done: GuideResult[] = [];
  const work = async (): Promise<void> => {
    for (let guide = waiting.shift(); guide !== undefined; guide = waiting.shift()) {
      done.push(await runGuide(origin, guide));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return done;
});
const problems = results.flatMap((result) => result.problems);
for (const output of values.show ? results.flatMap(({ outputs }) => outputs) : []) {
  console.log(output);
}
for (const problem of problems) {
  console.error(problem);
}
const sum = (count: "commands" | "answers" | "notRun"): number =>
  results.reduce((total, result) => total + result[count], 0);
const failed = new Set(problems.map((problem) => problem.split(": ")[0])).size;
console.log(
  `${guides.length} guides: ${sum("commands")} commands run, ${sum("answers")} answers compared, ${failed} of these blocks wrong; ` +
    `${sum("notRun")} blocks are marked as not run; ${Math.round((Date.now() - started) / 1000)} s`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
