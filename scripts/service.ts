import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createWriteStream, type WriteStream } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/* Starts and stops the whole service with its sandbox on this machine; what the other scripts share. */

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const WRANGLER = join(ROOT, "node_modules", "wrangler", "bin", "wrangler.js");
const UP_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 5000;
const CRON_EVERY_MS = 60_000;

/** Nothing is asked, nothing is reported, nothing is fetched. */
const QUIET = {
  CI: "1",
  FORCE_COLOR: "0",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_HIDE_BANNER: "true",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
};

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export interface ServiceOptions {
  readonly port: number;
  /** Where tables, objects and files live between runs. */
  readonly stateDir: string;
  /** Everything the runtime says goes here. */
  readonly logFile: string;
  /** Another copy of the project; this one when absent. */
  readonly root?: string;
  /** Variables beside those of wrangler.toml. */
  readonly vars?: Readonly<Record<string, string>>;
  /** Each line of it from the moment the service answers. */
  readonly onLine?: (line: string) => void;
  /** Where the Worker's isolate can be asked; anywhere when absent. */
  readonly inspectorPort?: number;
  /** Ends the service, also while it is still starting. */
  readonly stopping?: AbortSignal;
}

export interface Service {
  readonly origin: string;
  /** The supervisor's id, and that of the group of everything below it. */
  readonly pid: number;
  /** Resolves when the process has ended, whoever ended it. */
  readonly ended: Promise<void>;
  /** Kills the runtime the hard way (`kill -9`) and leaves its supervisor alone; gives the ids that were killed. */
  killRuntime(): Promise<number[]>;
  /** Kills the supervisor and everything below it the hard way. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** A port nobody listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        address && typeof address === "object" ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}

function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    // A machine without that address family has nobody listening there either.
    server.on("error", (error: NodeJS.ErrnoException) => resolve(error.code !== "EADDRINUSE"));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}

/** A killed process keeps its port for a moment. */
async function goneFrom(port: number): Promise<void> {
  for (const deadline = Date.now() + STOP_TIMEOUT_MS; Date.now() < deadline; await pause(50)) {
    if ((await isFree(port, "127.0.0.1")) && (await isFree(port, "::1"))) {
      return;
    }
  }
}

/** Brings the local tables up to date. */
export async function migrate(stateDir: string, stopping?: AbortSignal): Promise<void> {
  await promisify(execFile)(
    process.execPath,
    [WRANGLER, "d1", "migrations", "apply", "DB", "--local", "--env", "sandbox", "--persist-to", stateDir],
    { cwd: ROOT, env: { ...process.env, ...QUIET }, ...(stopping && { signal: stopping }) },
  );
}

const addressed = (port: number, inspectorPort: number): string[] => [
  "--port",
  String(port),
  "--inspector-port",
  String(inspectorPort),
  "--show-interactive-dev-session=false",
];

/** Starts the service and comes back when it answers. */
export async function startService({
  port,
  stateDir,
  logFile,
  root = ROOT,
  vars = {},
  onLine,
  inspectorPort = 0,
  stopping,
}: ServiceOptions): Promise<Service> {
  if (!((await isFree(port, "127.0.0.1")) && (await isFree(port, "::1")))) {
    throw new Error(`port ${port} is taken; choose another one with --port`);
  }
  await mkdir(dirname(logFile), { recursive: true });
  const origin = `http://localhost:${port}`;
  const log = createWriteStream(logFile, { flags: "a" });
  const child = spawn(
    process.execPath,
    [
      WRANGLER,
      "dev",
      "--env",
      "sandbox",
      ...addressed(port, inspectorPort),
      "--persist-to",
      stateDir,
      ...varsOf({ ORIGIN: origin, ...vars }),
    ],
    // A group of its own, so that it can be ended as a whole, whatever it has started.
    { cwd: root, env: { ...process.env, ...QUIET }, stdio: ["ignore", "pipe", "pipe"], detached: true },
  );
  let up = false;
  pipeLines(child, log, (line) => up && onLine?.(line));
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const service: Service = {
    origin,
    pid: child.pid ?? 0,
    ended,
    killRuntime: () => killRuntime(child.pid),
    async kill() {
      signal(child.pid ?? 0, "SIGKILL");
      await ended;
      await goneFrom(port);
    },
    stop: () => stop(child, ended),
  };
  stopping?.addEventListener("abort", () => void service.stop());
  try {
    stopping?.throwIfAborted();
    await untilUp(service, logFile);
  } catch (error) {
    await service.stop();
    throw error;
  }
  up = true;
  return service;
}

const varsOf = (vars: Readonly<Record<string, string>>): string[] =>
  Object.entries(vars).flatMap(([name, value]) => ["--var", `${name}:${value}`]);

function pipeLines(child: ChildProcess, log: WriteStream, onLine: (line: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    let rest = "";
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      log.write(chunk);
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        onLine(line);
      }
    });
  }
  child.once("close", () => log.end());
}

/** Whether it answers at all. */
export async function answers(origin: string, timeoutMs = 2000): Promise<boolean> {
  try {
    const response = await fetch(`${origin}/sandbox/platforms`, { signal: AbortSignal.timeout(timeoutMs) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

async function untilUp({ origin, ended }: Pick<Service, "origin" | "ended">, logFile: string): Promise<void> {
  const deadline = Date.now() + UP_TIMEOUT_MS;
  const over = ended.then(() => "ended" as const);
  while (Date.now() < deadline) {
    if (await answers(origin)) {
      return;
    }
    if ((await Promise.race([over, pause(200)])) === "ended") {
      throw new Error(`the service ended before it answered; ${logFile} tells why`);
    }
  }
  throw new Error(`the service did not answer within ${UP_TIMEOUT_MS / 1000} s`);
}

/** Signal 0 only asks whether anybody of the group is there. */
function signal(group: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, name);
  } catch {
    return false;
  }
}

async function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  const { pid } = child;
  if (pid === undefined) {
    return;
  }
  signal(pid, "SIGTERM");
  await Promise.race([ended, pause(STOP_TIMEOUT_MS)]);
  // Members may outlive their leader by a moment.
  for (const deadline = Date.now() + STOP_TIMEOUT_MS; signal(pid, 0) && Date.now() < deadline;) {
    await pause(50);
  }
  signal(pid, "SIGKILL");
  await ended;
}

async function killRuntime(leader: number | undefined): Promise<number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,pgid=,comm="]);
  const victims = stdout
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, group, command]) => Number(group) === leader && command?.includes("workerd"))
    .map(([pid]) => Number(pid));
  for (const pid of victims) {
    process.kill(pid, "SIGKILL");
  }
  return victims;
}

/** Local runtimes fire no cron: this does, once a minute, until told to stop. */
export function tickCron(origin: string): () => void {
  const timer = setInterval(() => {
    // A minute without an answer is a minute without cron, as anywhere else.
    fetch(`${origin}/sandbox/cron`, { method: "POST", signal: AbortSignal.timeout(CRON_EVERY_MS) })
      .then((response) => response.arrayBuffer())
      .catch(() => null);
  }, CRON_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Runs the work against the service at `origin`, or against one of its own that leaves nothing behind. */
export async function withService<T>(origin: string | undefined, work: (origin: string) => Promise<T>): Promise<T> {
  if (origin !== undefined) {
    return await work(origin);
  }
  const stateDir = await mkdtemp(join(tmpdir(), "almanac-"));
  try {
    await migrate(stateDir);
    const service = await startService({ port: await freePort(), stateDir, logFile: join(stateDir, "service.log") });
    try {
      return await work(service.origin);
    } finally {
      await service.stop();
    }
  } finally {
    await rm(stateDir, { recursive: true, force: true });
  }
}

/** One call of the service's own API or of its sandbox; anything but success is an error with the answer in it. */
export async function call<T>(
  origin: string,
  method: string,
  path: string,
  { body, key }: { readonly body?: unknown; readonly key?: string } = {},
): Promise<T> {
  const response = await fetch(origin + path, {
    method,
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) {
    throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 2000)}`);
  }
  return JSON.parse(text) as T;
}
