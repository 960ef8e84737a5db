import { execFile, spawn } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { promisify } from "node:util";
import { sleep } from "../service.ts";

/* Runs workerd, on request under callgrind, which counts the executed instructions. */

const run = promisify(execFile);
const START_TIMEOUT_MS = 120_000;

export async function requireValgrind(): Promise<void> {
  await run("valgrind", ["--version"]).catch(() => {
    throw new Error("valgrind is missing (Debian: apt-get install valgrind)");
  });
}

interface WorkerdProcess {
  readonly pid: number;
  stop(): Promise<void>;
}

/** The path of the workerd program itself, without the wrapper of its package. */
function workerdPath(): string {
  const fromWrangler = createRequire(createRequire(import.meta.url).resolve("wrangler"));
  return (fromWrangler("workerd") as { readonly default: string }).default;
}

async function isListening(socketPath: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

/**
 * Starts workerd with a configuration and waits until it listens. Under callgrind, counting begins on request or at the
 * start.
 */
export async function startWorkerd(
  config: string,
  sockets: readonly string[],
  callgrindFile: string | null,
  { countsStart = false }: { readonly countsStart?: boolean } = {},
): Promise<WorkerdProcess> {
  await Promise.all(sockets.map((socket) => rm(socket, { force: true })));
  const workerd = [workerdPath(), "serve", "--experimental", config];
  const valgrind = [
    "valgrind",
    "--tool=callgrind",
    // The option makes callgrind count threads separately, so that only the thread that handles the requests is read.
    "--separate-threads=yes",
    `--instr-atstart=${countsStart ? "yes" : "no"}`,
    "--dump-line=no",
    `--callgrind-out-file=${callgrindFile}`,
  ];
  const [command = "", ...args] = callgrindFile === null ? workerd : [...valgrind, ...workerd];
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (data: Buffer) => (output += data.toString()));
  }
  let hasEnded = false;
  const ended = new Promise<void>((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", () => {
      hasEnded = true;
      resolve();
    });
  });
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await Promise.all(sockets.map((socket) => isListening(socket)))).every(Boolean)) {
    if (hasEnded || Date.now() > deadline) {
      child.kill("SIGKILL");
      throw new Error(`workerd did not start: ${output}`);
    }
    await sleep(50);
  }
  return {
    pid: child.pid ?? 0,
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Counts the instructions of a process under callgrind. */
export class InstructionCounter {
  readonly #pid: number;
  readonly #file: string;
  #dumps = 0;

  constructor(pid: number, file: string) {
    this.#pid = pid;
    this.#file = file;
  }

  async #command(...command: readonly string[]): Promise<void> {
    await run("vgdb", [`--pid=${this.#pid}`, ...command]);
  }

  /** Without it the process runs several times as fast, which is enough for warming up. */
  async countFromNow(): Promise<void> {
    await this.#command("instrumentation", "on");
  }

  async pause(): Promise<void> {
    await this.#command("instrumentation", "off");
  }

  /** The instructions that the main thread executes during `work`. */
  async count(work: () => Promise<void>): Promise<number> {
    await this.#command("zero");
    await work();
    return await this.sinceZero();
  }

  /** The instructions that the main thread has executed since the last count, or since the start. */
  async sinceZero(): Promise<number> {
    await this.#command("dump");
    this.#dumps += 1;
    // The main thread is the first.
    const text = await readFile(`${this.#file}.${this.#dumps}-01`, "utf8");
    const total = /^(?:totals|summary): (\d+)/m.exec(text)?.[1];
    if (total === undefined) {
      throw new Error("callgrind wrote no total");
    }
    return Number(total);
  }
}
