import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PLATFORMS } from "#core/platform.ts";
import { type RoundReport, runDrill, type Way, WITHOUT_GUARD } from "./restore/drill.ts";
import { freePort, migrate, startService } from "./service.ts";
import { createCopy, removeCopy } from "./source-copy.ts";

/*
 * Practises restores: `npm run restore:drill -- [--way restore|file|both] [--posts 200] [--rounds 1,2,3,4,5] [--platforms x,tiktok] [--without-guard]`.
 * Exit code 1 on any post that is doubled, public after its cancel or with its old words, lost or untrue. With --without-guard nothing
 * notices that the database went back, and it must double posts: the drill sees what it looks for.
 */

const ROOT = join(import.meta.dirname, "..");

const { values } = parseArgs({
  options: {
    way: { type: "string", default: "both" },
    posts: { type: "string", default: "200" },
    rounds: { type: "string", default: "1,2,3,4,5" },
    platforms: { type: "string", default: PLATFORMS.join() },
    "without-guard": { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
  },
});

function print({ name, posts, acceptedBefore, counts, seconds, outcomes, wrong }: RoundReport): void {
  const figures = Object.entries(counts).map(([kind, count]) => `${kind} ${count}`);
  console.log(`  ${name}: ${posts} posts, ${acceptedBefore} public before, ${figures.join(", ")} (${seconds} s)`);
  if (values.verbose || wrong.length > 0) {
    for (const [outcome, count] of outcomes) {
      console.log(`    ${outcome.padEnd(60)} ${count}`);
    }
  }
  for (const line of wrong.slice(0, 20)) {
    console.log(`    ${line}`);
  }
}

async function practise(way: Way, root: string): Promise<RoundReport[]> {
  const stateDir = await mkdtemp(join(tmpdir(), "almanac-drill-"));
  const port = await freePort();
  const reports: RoundReport[] = [];
  try {
    await migrate(stateDir);
    const names = values.platforms.split(",");
    const rounds = values.rounds.split(",").map(Number);
    console.log(way === "restore" ? "By npm run restore" : "By swapping the file");
    for await (const report of runDrill({
      way,
      start: () => startService({ port, stateDir, logFile: join(stateDir, "service.log"), root }),
      stateDir,
      platforms: PLATFORMS.filter((platform) => names.includes(platform)),
      rounds,
      postsPerRound: Math.round(Number(values.posts) / rounds.length),
      say: (line) => (values.verbose ? console.log(line) : undefined),
    })) {
      print(report);
      reports.push(report);
    }
    return reports;
  } finally {
    await rm(stateDir, { recursive: true, force: true });
  }
}

const withoutGuard = values["without-guard"];
// Runs a copy of the sources, because the runtime restarts when a source changes.
const root = await createCopy(ROOT, withoutGuard ? [WITHOUT_GUARD] : []);
try {
  const ways = (["restore", "file"] as const).filter((way) => values.way === "both" || values.way === way);
  const reports: RoundReport[] = [];
  for (const way of ways) {
    reports.push(...(await practise(way, root)));
  }
  const doubled = reports.reduce((sum, { counts }) => sum + counts.doubled, 0);
  const wrong = reports.reduce((sum, report) => sum + report.wrong.length + report.counts.sentWhileHeld, 0);
  const posts = reports.reduce((sum, report) => sum + report.posts, 0);
  console.log(`${posts} posts, ${doubled} doubled, ${wrong} findings`);
  process.exitCode = (withoutGuard ? doubled > 0 : posts > 0 && wrong === 0) ? 0 : 1;
} finally {
  await removeCopy(root);
}
