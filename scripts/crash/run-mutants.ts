import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildCopy, createCopy, removeCopy } from "../source-copy.ts";
import { type Mutant, MUTANTS, QUICK_RETRIES } from "./mutants.ts";
import { run, type RunOptions } from "./run.ts";

const ROOT = join(import.meta.dirname, "..", "..");
/** Long enough for the crash test to detect the missing mechanism. */
const MUTANT_MINUTES = 1;

/** A one-minute run under the conditions in which a mutant must be detected. */
function mutantRun(base: RunOptions, { failpoint }: Pick<Mutant, "failpoint">): RunOptions {
  const overrides = failpoint === undefined ? {} : { failpoint, faultRate: 1, kills: false };
  return { ...base, ...overrides, minutes: MUTANT_MINUTES, maxWaitMs: 0 };
}

async function isMutantCaught(mutant: Mutant, base: RunOptions): Promise<boolean> {
  const root = await createCopy(ROOT, [QUICK_RETRIES, mutant]);
  try {
    await buildCopy(root, ["sandbox", "simulators"]);
    const { match } = await run({
      ...mutantRun(base, mutant),
      root,
      expectedViolations: mutant.expectedViolations ?? [],
    });
    console.log(
      `${match ? "caught  " : "SURVIVED"} ${mutant.name} (${mutant.what})` +
        (match
          ? ` after ${(match.afterMs / 1000).toFixed(0)} s: ${match.violation.invariant} ${match.violation.what}`
          : ` for ${MUTANT_MINUTES * 60} s`),
    );
    return match !== null;
  } finally {
    await removeCopy(root);
  }
}

/** Runs the unmodified service under the same conditions; a violation here is a false alarm of the crash test. */
async function isUnmodifiedClean(mutants: readonly Mutant[], base: RunOptions): Promise<boolean> {
  const [first] = mutants;
  const { match } = await run({
    ...mutantRun(base, first ?? {}),
    expectedViolations: mutants.flatMap((mutant) => mutant.expectedViolations ?? []),
  });
  const names = mutants.map((mutant) => mutant.name).join(", ");
  console.log(
    match
      ? `FALSE ALARM without ${names}: ${match.violation.invariant} ${match.violation.marker} ${match.violation.what}`
      : `clean    without ${names} for ${MUTANT_MINUTES * 60} s`,
  );
  return match === null;
}

interface TestReport {
  readonly testResults: readonly { readonly assertionResults: readonly { fullName: string; status: string }[] }[];
}

/** Runs test files of a copy of the project; returns the full names of the tests that ran, by their status. */
async function runTests(root: string, args: readonly string[]): Promise<Map<string, string[]>> {
  const folder = await mkdtemp(join(tmpdir(), "almanac-tests-"));
  const output = join(folder, "report.json");
  const command = [
    join(root, "node_modules", "vitest", "vitest.mjs"),
    "run",
    "--reporter=json",
    "--outputFile",
    output,
  ];
  await new Promise<void>((resolve) => {
    // The exit code says less than the report.
    execFile(process.execPath, [...command, ...args], { cwd: root, maxBuffer: 2 ** 28 }, () => resolve());
  });
  const report = JSON.parse(await readFile(output, "utf8")) as TestReport;
  await rm(folder, { recursive: true, force: true });
  const byStatus = new Map<string, string[]>();
  for (const { fullName, status } of report.testResults.flatMap(({ assertionResults }) => assertionResults)) {
    byStatus.set(status, [...(byStatus.get(status) ?? []), fullName]);
  }
  return byStatus;
}

/** Runs the test that the mutant names. */
async function isCaughtByTest(mutant: Mutant, test: NonNullable<Mutant["test"]>): Promise<boolean> {
  const root = await createCopy(ROOT, [mutant], ["test", "vitest.config.ts"]);
  try {
    const failed = (await runTests(root, [test.file, "-t", test.title])).get("failed") ?? [];
    console.log(
      failed.length > 0
        ? `caught   ${mutant.name} (${mutant.what}) by ${test.file}: ${failed[0]}`
        : `SURVIVED ${mutant.name} (${mutant.what}) the test "${test.title}" of ${test.file}`,
    );
    return failed.length > 0;
  } finally {
    await removeCopy(root);
  }
}

/** The tests that catch mutants pass without one. */
async function areTestsClean(mutants: readonly Mutant[]): Promise<boolean> {
  const tests = mutants.flatMap(({ test }) => test ?? []);
  const results = await runTests(ROOT, [...new Set(tests.map(({ file }) => file))]);
  const passed = results.get("passed") ?? [];
  const missing = tests.filter(({ title }) => !passed.some((name) => name.includes(title)));
  const problems = [...(results.get("failed") ?? []), ...missing.map(({ title }) => `no passed test "${title}"`)];
  console.log(
    problems.length === 0 ? `clean    ${passed.length} tests without mutants` : `FALSE ALARM ${problems.join("; ")}`,
  );
  return problems.length === 0;
}

/** Runs all mutants or those with these names; true if each is caught and the unmodified service passes. */
export async function runMutants(base: RunOptions, only: readonly string[] | undefined): Promise<boolean> {
  const selected = MUTANTS.filter(({ name }) => only === undefined || only.includes(name));
  const byCrash = selected.filter(({ test }) => !test);
  const byTest = selected.filter(({ test }) => test);
  const results: boolean[] = [];
  if (byTest.length > 0) {
    results.push(await areTestsClean(byTest));
  }
  for (const mutant of byTest) {
    results.push(mutant.test !== undefined && (await isCaughtByTest(mutant, mutant.test)));
  }
  for (const mutants of Map.groupBy(byCrash, ({ failpoint }) => failpoint).values()) {
    results.push(await isUnmodifiedClean(mutants, base));
  }
  for (const mutant of byCrash) {
    results.push(await isMutantCaught(mutant, base));
  }
  return selected.length > 0 && results.every(Boolean);
}
