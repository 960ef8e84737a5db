import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";

export const ALMANAC = join(import.meta.dirname, "..", "..", "..", "clients", "cli", "dist", "almanac.js");

/** What a run has said, and how it ended. */
export interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The environment of a person in Berlin whose settings are in `folder`. */
export function environmentOf(folder: string, more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { PATH } = process.env;
  return { PATH, HOME: folder, XDG_CONFIG_HOME: folder, TZ: "Europe/Berlin", TERM: "xterm", LANG: "C.UTF-8", ...more };
}

function collect(child: ChildProcess): Promise<Result> {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}

/** A run whose process the test holds. */
export function start(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): { child: ChildProcess; ended: Promise<Result> } {
  const child = spawn(process.execPath, [ALMANAC, ...args], { env, stdio: ["pipe", "pipe", "pipe"] });
  return { child, ended: collect(child) };
}

/** Runs the command without a terminal. */
export async function almanac(args: readonly string[], env: NodeJS.ProcessEnv, stdin = ""): Promise<Result> {
  const { child, ended } = start(args, env);
  child.stdin?.end(stdin);
  return await ended;
}

const inShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

type Reply = string | (() => Promise<string>);

/** Runs the command in a terminal of so many columns, and types each reply when its question appears. */
export async function almanacInTerminal(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  {
    replies = [],
    columns = 100,
  }: { readonly replies?: readonly (readonly [question: string, reply: Reply])[]; readonly columns?: number } = {},
): Promise<Pick<Result, "code" | "stdout">> {
  const command = ["exec", process.execPath, ALMANAC, ...args].map((word, index) =>
    index === 0 ? word : inShell(word),
  );
  const child = spawn("script", ["-qfec", `stty cols ${columns} rows 50; ${command.join(" ")}`, "/dev/null"], {
    env,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let seen = 0;
  let text = "";
  const waiting = [...replies];
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part;
    const [next] = waiting;
    if (next && text.slice(seen).includes(next[0])) {
      seen = text.length;
      waiting.shift();
      const [, reply] = next;
      void Promise.resolve(typeof reply === "string" ? reply : reply()).then((typed) => child.stdin.write(typed));
    }
  });
  const { code, stdout } = await collect(child);
  return { code, stdout };
}
