import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createWriteStream, existsSync, type WriteStream } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/* Starts and stops the service with its sandbox on this machine; shared by the other scripts. */

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const WRANGLER = join(ROOT, "node_modules", "wrangler", "bin", "wrangler.js");
const WRANGLER_MANIFEST = join(ROOT, "node_modules", "wrangler", "package.json");
const MIGRATED_FOLDER = join(ROOT, ".wrangler", "migrated");
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 5000;
const CRON_EVERY_MS = 60_000;

/**
 * Switches off prompts, metrics, fetched metadata, and wrangler's pages about the local state, for which it records every call. Wrangler
 * still writes a table into the storage of every object that starts, so `npm run punctual` runs without wrangler.
 */
const NON_INTERACTIVE_ENV = {
  CI: "1",
  FORCE_COLOR: "0",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_HIDE_BANNER: "true",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  X_LOCAL_EXPLORER: "false",
  X_LOCAL_OBSERVABILITY: "false",
};

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export interface ServiceOptions {
  readonly port: number;
  /** The directory for D1, R2 and Durable Object storage. */
  readonly stateDir: string;
  /** The file for all output of the runtime. */
  readonly logFile: string;
  /** The root of another copy of the project; by default this one. */
  readonly root?: string;
  /** What to start: the service with its sandbox, or only the simulators (`npm run sandbox`). */
  readonly environment?: "sandbox" | "simulators";
  /** Variables in addition to those of wrangler.toml. */
  readonly vars?: Readonly<Record<string, string>>;
  /** Called with each line of output once the service answers. */
  readonly onLine?: (line: string) => void;
  /** The port of the Worker's inspector; any free one when absent. */
  readonly inspectorPort?: number;
  /** Stops the service when aborted, also while it is still starting. */
  readonly stopping?: AbortSignal;
}

export interface Service {
  readonly origin: string;
  /** The process id of the supervisor, which is also the group id of all its child processes. */
  readonly pid: number;
  /** Resolves when the process has ended for any reason. */
  readonly ended: Promise<void>;
  /** Kills the runtime (`kill -9`) but not its supervisor; returns the killed process ids. */
  killRuntime(): Promise<number[]>;
  /** Kills the supervisor and all its child processes (`kill -9`). */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** Finds a port that is not in use. */
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
    // Any other error means that the machine lacks the address family, so the port is not in use there.
    server.on("error", (error: NodeJS.ErrnoException) => resolve(error.code !== "EADDRINUSE"));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}

/** Waits for the port, because it stays in use for a moment after its process was killed. */
async function waitUntilPortFree(port: number): Promise<void> {
  for (const deadline = Date.now() + STOP_TIMEOUT_MS; Date.now() < deadline; await sleep(50)) {
    if ((await isFree(port, "127.0.0.1")) && (await isFree(port, "::1"))) {
      return;
    }
  }
}

interface MigrateOptions {
  /** The root of another copy of the project; by default this one. */
  readonly root?: string;
  readonly stopping?: AbortSignal;
}

async function applyMigrations(stateDir: string, { root = ROOT, stopping }: MigrateOptions): Promise<void> {
  await promisify(execFile)(
    process.execPath,
    [WRANGLER, "d1", "migrations", "apply", "DB", "--local", "--env", "sandbox", "--persist-to", stateDir],
    { cwd: root, env: { ...process.env, ...NON_INTERACTIVE_ENV }, ...(stopping && { signal: stopping }) },
  );
}

/** Names a migrated empty database by everything that determines it: the migrations, the settings and wrangler's version. */
async function nameOfMigrated(root: string): Promise<string> {
  const folder = join(root, "migrations");
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).toSorted();
  const paths = [...names.map((name) => join(folder, name)), join(root, "wrangler.toml"), WRANGLER_MANIFEST];
  const hash = createHash("sha256");
  for (const path of paths) {
    hash.update(`${basename(path)}\0`).update(await readFile(path));
  }
  return hash.digest("hex").slice(0, 32);
}

/**
 * Applies the migrations of the project, or of a copy of it, to the local database. wrangler starts a runtime for each migration, so an
 * empty database becomes a copy of one that was migrated before.
 */
export async function migrate(stateDir: string, options: MigrateOptions = {}): Promise<void> {
  if (existsSync(join(stateDir, "v3", "d1"))) {
    await applyMigrations(stateDir, options);
    return;
  }
  const migrated = join(MIGRATED_FOLDER, await nameOfMigrated(options.root ?? ROOT));
  if (!existsSync(migrated)) {
    await mkdir(MIGRATED_FOLDER, { recursive: true });
    const made = await mkdtemp(join(MIGRATED_FOLDER, "making-"));
    try {
      await applyMigrations(made, options);
      // Another process may have made this copy first, and both are the same.
      await rename(made, migrated).catch((error: unknown) => {
        if (!existsSync(migrated)) {
          throw error;
        }
      });
    } finally {
      await rm(made, { recursive: true, force: true });
    }
  }
  await cp(migrated, stateDir, { recursive: true });
}

const portArguments = (port: number, inspectorPort: number): string[] => [
  "--port",
  String(port),
  "--inspector-port",
  String(inspectorPort),
  "--show-interactive-dev-session=false",
];

/** Starts the service and returns when it answers. */
export async function startService({
  port,
  stateDir,
  logFile,
  root = ROOT,
  environment = "sandbox",
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
      environment,
      ...portArguments(port, inspectorPort),
      "--persist-to",
      stateDir,
      ...varArguments({ ORIGIN: origin, ...vars }),
    ],
    // Its own process group makes it possible to kill it together with all its child processes.
    { cwd: root, env: { ...process.env, ...NON_INTERACTIVE_ENV }, stdio: ["ignore", "pipe", "pipe"], detached: true },
  );
  let isUp = false;
  pipeLines(child, log, (line) => isUp && onLine?.(line));
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const service: Service = {
    origin,
    pid: child.pid ?? 0,
    ended,
    killRuntime: () => killRuntime(child.pid),
    async kill() {
      signalGroup(child.pid ?? 0, "SIGKILL");
      await ended;
      await waitUntilPortFree(port);
    },
    stop: () => stop(child, ended),
  };
  stopping?.addEventListener("abort", () => void service.stop());
  try {
    stopping?.throwIfAborted();
    await waitUntilAnswering(service, logFile);
  } catch (error) {
    await service.stop();
    throw error;
  }
  isUp = true;
  return service;
}

const varArguments = (vars: Readonly<Record<string, string>>): string[] =>
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

/** Whether the service answers a request with success. */
export async function isAnswering(origin: string, timeoutMs = 2000): Promise<boolean> {
  try {
    const response = await fetch(`${origin}/sandbox/platforms`, { signal: AbortSignal.timeout(timeoutMs) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/** Waits until a service that starts answers. */
export async function waitUntilAnswering(
  { origin, ended }: Pick<Service, "origin" | "ended">,
  logFile: string,
): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  const endedFirst = ended.then(() => "ended" as const);
  let timeoutMs = 2000;
  while (Date.now() < deadline) {
    const askedAt = Date.now();
    if (await isAnswering(origin, Math.min(timeoutMs, deadline - askedAt))) {
      return;
    }
    // On a busy machine the first answer takes longer, and a service that is asked anew all the time would be slower still.
    if (Date.now() - askedAt >= timeoutMs) {
      timeoutMs *= 2;
    }
    if ((await Promise.race([endedFirst, sleep(200)])) === "ended") {
      throw new Error(`the service ended before it answered; see ${logFile}`);
    }
  }
  throw new Error(`the service did not answer within ${START_TIMEOUT_MS / 1000} s`);
}

/** Sends a signal to a process group; signal 0 only tests whether the group still has a process. */
function signalGroup(group: number, name: NodeJS.Signals | 0): boolean {
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
  signalGroup(pid, "SIGTERM");
  await Promise.race([ended, sleep(STOP_TIMEOUT_MS)]);
  // Child processes may end a moment after the supervisor.
  for (const deadline = Date.now() + STOP_TIMEOUT_MS; signalGroup(pid, 0) && Date.now() < deadline;) {
    await sleep(50);
  }
  signalGroup(pid, "SIGKILL");
  await ended;
}

async function killRuntime(leader: number | undefined): Promise<number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,pgid=,comm="]);
  const runtimePids = stdout
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, group, command]) => Number(group) === leader && command?.includes("workerd"))
    .map(([pid]) => Number(pid));
  for (const pid of runtimePids) {
    process.kill(pid, "SIGKILL");
  }
  return runtimePids;
}

/** Triggers cron once a minute, because the local runtime does not; returns a function that stops it. */
export function startCron(origin: string): () => void {
  const timer = setInterval(() => {
    // A failed cron run is skipped, as in production.
    fetch(`${origin}/sandbox/cron`, { method: "POST", signal: AbortSignal.timeout(CRON_EVERY_MS) })
      .then((response) => response.arrayBuffer())
      .catch(() => null);
  }, CRON_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Runs `work` against the service at `origin`, or against a temporary service that is removed afterwards. */
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

/** Calls the service's API or its sandbox; throws an error with the response text unless the call succeeds. */
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
