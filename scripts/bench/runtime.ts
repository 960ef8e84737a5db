import { execFile } from "node:child_process";
import { createWriteStream } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { PLATFORMS } from "#core/platform.ts";
import type { MiniflareConfig, WorkerModule } from "./workerd-config.ts";

/* The production bundle of a checkout, run by Miniflare on a direct socket. */

const NAME = "almanac";
/** The limit that rate limiters get, which the benchmark cannot reach. The limiters work normally otherwise. */
const UNLIMITED = 1_000_000_000;

/**
 * The variables that a deployment adds to wrangler.toml: its address, encryption keys and app credentials for every
 * platform.
 */
const DEPLOYMENT = {
  ORIGIN: "https://almanac.example.org",
  TOKEN_KEY_ID: "k1",
  TOKEN_KEYS: JSON.stringify({ k1: Buffer.alloc(32, "bench").toString("base64") }),
  ...Object.fromEntries(
    PLATFORMS.flatMap((platform) =>
      ["CLIENT_ID", "CLIENT_SECRET"].map((name) => [`${platform.toUpperCase()}_${name}`, name]),
    ),
  ),
};

/** The members of Miniflare that the benchmark uses. Miniflare is a dependency of wrangler, not of this project. */
interface Miniflare {
  unsafeGetDirectURL(workerName: string): Promise<URL>;
  getD1Database(binding: string): Promise<D1Database>;
  dispose(): Promise<void>;
}

interface MiniflareModule {
  readonly Miniflare: new (options: object) => Miniflare;
  readonly convertV4MiniflareOptions: (options: object) => object;
}

/** The options of Miniflare that the benchmark changes. */
interface Options {
  readonly bindings?: Readonly<Record<string, unknown>>;
  readonly ratelimits?: Readonly<Record<string, { readonly simple: object }>>;
}

const { Miniflare, convertV4MiniflareOptions } = createRequire(createRequire(import.meta.url).resolve("wrangler"))(
  "miniflare",
) as MiniflareModule;

/** Bundles for production with `wrangler deploy --dry-run`; the main module comes first. */
export async function bundle(root: string, outDir: string, environment = ""): Promise<readonly WorkerModule[]> {
  await promisify(execFile)(
    process.execPath,
    [
      join(root, "node_modules/wrangler/bin/wrangler.js"),
      "deploy",
      "--dry-run",
      `--env=${environment}`,
      `--outdir=${outDir}`,
    ],
    { cwd: root, env: { ...process.env, CI: "1", WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true" } },
  );
  const names = await readdir(outDir);
  const read = (name: string) => readFile(join(outDir, name), "utf8");
  const isMain = (name: string): boolean => /^index(?:\.\w+)?\.m?js$/.test(name);
  const scripts = names
    .filter((name) => /\.m?js$/.test(name))
    .toSorted((a, b) => Number(isMain(b)) - Number(isMain(a)));
  // Only checkouts from before the build of several modules have these files.
  const texts = names.filter((name) => /^[0-9a-f]{40}-.*\.md$/.test(name));
  const files = names.filter((name) => name.endsWith(".bin"));
  return await Promise.all([
    ...scripts.map(async (name) => ({ name, esModule: await read(name) })),
    ...texts.map(async (name) => ({ name, text: await read(name) })),
    ...files.map(async (name) => ({ name, data: await readFile(join(outDir, name)) })),
  ]);
}

export interface Runtime {
  /** The port of the Worker's direct socket, without Miniflare's proxy. */
  readonly port: number;
  readonly origin: string;
  /** The process of the Worker and of its local bindings. */
  readonly pid: number;
  readonly config: MiniflareConfig;
  d1(): Promise<D1Database>;
  /** The CPU time that all threads of the process have used. */
  cpuMs(): Promise<number>;
  stop(): Promise<void>;
}

export interface RuntimeOptions {
  /** The environment of wrangler.toml; production by default. */
  readonly environment?: string;
  /** Variables in addition to those of the environment. */
  readonly vars?: Readonly<Record<string, string>>;
  /** The port on which the Worker listens. By default any free one. */
  readonly port?: number;
  /** The port of the Worker's inspector, which does not start without one. */
  readonly inspectorPort?: number;
  /** The file to which the Worker's log is written. */
  readonly logFile?: string;
}

/** Starts one Worker with local versions of the production bindings, in a separate process. */
export async function startRuntime(
  root: string,
  modules: readonly WorkerModule[],
  stateDir: string,
  { environment = "", vars = {}, port: wantedPort = 0, inspectorPort, logFile }: RuntimeOptions = {},
): Promise<Runtime> {
  const { workerOptions } = unstable_getMiniflareWorkerOptions(join(root, "wrangler.toml"), environment);
  // The benchmark uses neither static assets, e-mail nor images.
  const {
    assets: _,
    email: __,
    images: ___,
    ratelimits = {},
    ...options
  } = workerOptions as typeof workerOptions & Options;
  const configFile = `${stateDir}.config.json`;
  process.env["MINIFLARE_WORKERD_CONFIG_DEBUG"] = configFile;
  const before = await findRuntimeProcesses(process.pid);
  const log = logFile === undefined ? undefined : createWriteStream(logFile, { flags: "a" });
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      cf: false,
      ...(inspectorPort !== undefined && { inspectorPort }),
      ...(log && { handleStructuredLogs: ({ message }: { message: string }) => log.write(`${message}\n`) }),
      resourcePersistencePath: stateDir,
      workers: [
        {
          ...options,
          name: NAME,
          bindings: { ...(environment === "" && DEPLOYMENT), ...options.bindings, ...vars },
          ratelimits: Object.fromEntries(
            Object.entries(ratelimits).map(([name, limiter]) => [
              name,
              { ...limiter, simple: { ...limiter.simple, limit: UNLIMITED } },
            ]),
          ),
          modules: modules.map(({ name, esModule, text, data }) => ({
            type: data !== undefined ? "Data" : esModule === undefined ? "Text" : "ESModule",
            path: name,
            contents: data ?? esModule ?? text,
          })),
          unsafeDirectSockets: [{ host: "127.0.0.1", port: wantedPort }],
        },
      ],
    }),
  );
  const { port, origin } = await miniflare.unsafeGetDirectURL(NAME);
  const [pid, ...others] = (await findRuntimeProcesses(process.pid)).filter((found) => !before.includes(found));
  if (pid === undefined || others.length > 0) {
    await miniflare.dispose();
    throw new Error("the runtime's process was not found");
  }
  return {
    port: Number(port),
    origin,
    pid,
    cpuMs: () => cpuMs(pid),
    config: JSON.parse(await readFile(configFile, "utf8")) as MiniflareConfig,
    d1: () => miniflare.getD1Database("DB"),
    async stop() {
      await miniflare.dispose();
      log?.end();
    },
  };
}

async function findRuntimeProcesses(parent: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid=,comm="]);
  return stdout
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, ppid, command]) => Number(ppid) === parent && command?.includes("workerd"))
    .map(([pid]) => Number(pid));
}

/** Reads the scheduler's nanoseconds, because `/proc/<pid>/stat` has a resolution of 10 ms. */
async function cpuMs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const used = await Promise.all(
    threads.map(async (thread) => {
      const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, "utf8");
      return Number(text.split(" ", 1)[0]);
    }),
  );
  return used.reduce((sum, each) => sum + each, 0) / 1e6;
}
