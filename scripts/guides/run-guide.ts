import { spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { CLI_FILE } from "../cli/build.ts";
import { call, freePort } from "../service.ts";
import { answerProblems, Names } from "./answers.ts";
import { GuideError, type GuidePlan, planOf, type Step } from "./blocks.ts";

/* Runs the commands of one guide in one shell, as a user of their own, and compares the answers. */

const ROOT = join(import.meta.dirname, "..", "..");
const TIME_LIMIT_MS = 90_000;

/** Packages that the programs in guides import. */
const PACKAGES: readonly (readonly [name: string, home: string])[] = [
  ["standardwebhooks", "node_modules/standardwebhooks"],
  ["@almanac/client", "clients/typescript"],
  ["@modelcontextprotocol/client", "scripts/judges/node_modules/@modelcontextprotocol/client"],
];

/** Accounts that the readers of a guide have which asks for them, as `?platform=x`, `platforms: ["x"]` or `--to x`. */
const CONNECTED = ["x", "instagram", "linkedin"];

export interface GuideResult {
  readonly commands: number;
  readonly answers: number;
  readonly notRun: number;
  /** Each with file and line. */
  readonly problems: readonly string[];
  /** What each command printed, with file and line. */
  readonly outputs: readonly string[];
}

interface Reader {
  readonly email: string;
  readonly password: string;
  readonly api_key: string;
}

/** The guide as this reader sees it: with the addresses of the service, and the reader's own values. */
function asRead(text: string, origin: string, key: string, port: number): string {
  const values: readonly (readonly [shown: string, value: string])[] = [
    ["{origin}", origin],
    ["{base_url}", `${origin}/v1`],
    ["{auth_url}", origin],
    ["{docs_url}", `${origin}/docs`],
    ["{mcp_url}", `${origin}/mcp`],
    ["http://localhost:8787", origin],
    ["alk_…", key],
    ["https://cdn.example.com", `${origin}/sandbox/media`],
    ["localhost:4321", `localhost:${port}`],
    ["listen(4321)", `listen(${port})`],
    [`("localhost", 4321)`, `("localhost", ${port})`],
  ];
  return values.reduce((read, [shown, value]) => read.replaceAll(shown, value), text);
}

const outputOf = (folder: string, index: number): string => join(folder, `${index}.out`);
const errorsOf = (folder: string, index: number): string => join(folder, `${index}.err`);

/** One script of all commands; each prints into files of its own and says when it begins. */
const scriptOf = (steps: readonly Step[], folder: string): string =>
  [
    "set -euo pipefail",
    ...steps.flatMap(({ command, files }, index) => [
      `echo ${index} >&3; exec >"${outputOf(folder, index)}" 2>"${errorsOf(folder, index)}"`,
      ...files.map(({ name }) => `cp "${join(folder, `${index}-${name}`)}" ${name}`),
      command.text,
    ]),
    "echo done >&3",
  ].join("\n");

/** Runs a script; returns the index of the step that failed, or null. */
function runShell(script: string, cwd: string, env: Readonly<Record<string, string>>): Promise<number | null> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  // Its own process group, so that processes that a guide leaves running end with it.
  const shell = spawn("bash", ["-c", script], {
    cwd,
    env,
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const end = (): void => {
    try {
      process.kill(-(shell.pid ?? 0), "SIGKILL");
    } catch {
      // Nothing is left.
    }
  };
  let begun = "";
  shell.stdio[3]?.on("data", (chunk: Buffer) => (begun += chunk.toString()));
  const timer = setTimeout(end, TIME_LIMIT_MS);
  shell.once("error", reject);
  shell.once("exit", () => {
    clearTimeout(timer);
    end();
  });
  shell.once("close", () => {
    const last = begun.trim().split("\n").at(-1);
    resolve(last === "done" ? null : Number(last ?? 0));
  });
  return promise;
}

/** A folder in which the programs of a guide run and find their packages, and a browser to open. */
async function prepare(folder: string, steps: readonly Step[]): Promise<string> {
  for (const [name, home] of PACKAGES) {
    const link = join(folder, "home", "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(ROOT, home), link);
  }
  for (const [index, { files }] of steps.entries()) {
    for (const { name, text } of files) {
      await writeFile(join(folder, `${index}-${name}`), text);
    }
  }
  const commands = join(folder, "bin");
  await mkdir(commands);
  await symlink(CLI_FILE, join(commands, "almanac"));
  const browser = join(commands, "xdg-open");
  await writeFile(browser, `#!/bin/sh\nexec "${process.execPath}" "${join(import.meta.dirname, "entry.ts")}" "$1"\n`);
  await chmod(browser, 0o755);
  return browser;
}

async function newReader(origin: string, markdown: string): Promise<Reader> {
  const reader = await call<Reader>(origin, "POST", "/sandbox/users", { body: {} });
  for (const platform of CONNECTED.filter((name) =>
    new RegExp(`(?:platforms?(?:=|: \\[?")|--to )${name}\\b`).test(markdown),
  )) {
    await call(origin, "POST", "/sandbox/connect", { body: { api_key: reader.api_key, platform } });
  }
  return reader;
}

const outputsOf = (plan: GuidePlan, folder: string, path: string): Promise<string[]> =>
  Promise.all(
    plan.steps.map(async ({ command }, index) => {
      const output = await readFile(outputOf(folder, index), "utf8").catch(() => "");
      return `${path}:${command.line}:\n${output}`;
    }),
  );

async function problemsOf(
  plan: GuidePlan,
  folder: string,
  failed: number | null,
): Promise<readonly [number, string][]> {
  const problems: [number, string][] = [];
  const names = new Names();
  for (const [index, { command, answer }] of plan.steps.entries()) {
    if (index === failed) {
      const [out, errors] = await Promise.all(
        [outputOf(folder, index), errorsOf(folder, index)].map((file) => readFile(file, "utf8").catch(() => "")),
      );
      problems.push([command.line, `the command failed or took too long:\n${out}${errors}`]);
      break;
    }
    if (answer !== null) {
      const actual = await readFile(outputOf(folder, index), "utf8");
      for (const problem of answerProblems(answer.language, answer.text, actual, names)) {
        problems.push([answer.line, problem]);
      }
    }
  }
  return problems;
}

/** Runs a guide of docs/guide against the service at `origin`. */
export async function runGuide(origin: string, guide: string): Promise<GuideResult> {
  const path = join("docs", "guide", guide);
  const markdown = await readFile(join(ROOT, path), "utf8");
  const folder = await mkdtemp(join(tmpdir(), "almanac-guide-"));
  try {
    const { steps } = planOf(markdown);
    const reader = steps.length === 0 ? null : await newReader(origin, markdown);
    const plan = planOf(asRead(markdown, origin, reader?.api_key ?? "", await freePort()));
    const answers = plan.steps.filter(({ answer }) => answer !== null).length;
    const counts = { commands: plan.steps.length, answers, notRun: plan.notRun.length };
    if (reader === null) {
      return { ...counts, problems: [], outputs: [] };
    }
    const browser = await prepare(folder, plan.steps);
    const failed = await runShell(scriptOf(plan.steps, folder), join(folder, "home"), {
      PATH: `${join(folder, "bin")}:${process.env["PATH"] ?? ""}`,
      HOME: join(folder, "home"),
      LANG: "C.UTF-8",
      // The clock of `npm run at`.
      LD_PRELOAD: process.env["LD_PRELOAD"] ?? "",
      NODE_NO_WARNINGS: "1",
      // The client as it is here, without building it first.
      NODE_OPTIONS: "--conditions=almanac-source",
      BROWSER: browser,
      GUIDE_EMAIL: reader.email,
      GUIDE_PASSWORD: reader.password,
    });
    const problems = await problemsOf(plan, folder, failed);
    return {
      ...counts,
      problems: problems.map(([line, problem]) => `${path}:${line}: ${problem}`),
      outputs: await outputsOf(plan, folder, path),
    };
  } catch (error) {
    if (error instanceof GuideError) {
      return { commands: 0, answers: 0, notRun: 0, problems: [`${path}:${error.line}: ${error.message}`], outputs: [] };
    }
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
