import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface Scenario {
  readonly version: "2025-11-25" | "2026-07-28";
  readonly name: string;
  /** Of all checks, how many have to pass; the others call tools that only the suite's own server has. */
  readonly passed: number;
}

const of = (version: Scenario["version"], scenarios: Readonly<Record<string, number>>): Scenario[] =>
  Object.entries(scenarios).map(([name, passed]) => ({ version, name, passed }));

const SCENARIOS: readonly Scenario[] = [
  ...of("2025-11-25", {
    "server-initialize": 2,
    ping: 2,
    "tools-list": 3,
    "resources-list": 2,
    "prompts-list": 2,
    "dns-rebinding-protection": 2,
  }),
  ...of("2026-07-28", {
    "tools-list": 4,
    "resources-list": 2,
    "prompts-list": 2,
    caching: 8,
    "http-header-validation": 14,
    "dns-rebinding-protection": 2,
    "sep-2164-resource-not-found": 4,
    "server-sse-multiple-streams": 1,
    "server-stateless": 24,
  }),
];

const RUNNER = join(import.meta.dirname, "..", "node_modules", ".bin", "conformance");
const PARALLEL = 2;

function run(url: string, { version, name }: Scenario, folder: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(
      RUNNER,
      ["server", "--url", url, "--scenario", name, "--spec-version", version, "-o", folder],
      { maxBuffer: 16 * 1024 * 1024, timeout: 60_000 },
      (_error, stdout, stderr) => resolve(`${stdout}\n${stderr}`),
    );
  });
}

/** Runs the scenarios of the official suite that a server without its fixture tools can pass; returns a line for each. */
export async function conformance(
  url: string,
): Promise<{ readonly lines: readonly string[]; readonly failures: number }> {
  const folder = await mkdtemp(join(tmpdir(), "almanac-conformance-"));
  const lines = new Map<Scenario, string>();
  let failures = 0;
  const queue = [...SCENARIOS];
  const work = async (): Promise<void> => {
    for (let scenario = queue.shift(); scenario; scenario = queue.shift()) {
      const output = await run(url, scenario, folder);
      const [, passed = "0", total = "0"] = /Passed: (\d+)\/(\d+)/.exec(output) ?? [];
      const isPassed = Number(passed) >= scenario.passed;
      failures += isPassed ? 0 : 1;
      lines.set(scenario, `${isPassed ? "pass" : "FAIL"}  ${scenario.version} ${scenario.name} ${passed}/${total}`);
      if (!isPassed) {
        console.error(output);
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  await rm(folder, { recursive: true, force: true });
  return { lines: SCENARIOS.map((scenario) => lines.get(scenario) ?? ""), failures };
}
