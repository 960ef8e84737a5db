import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { unstable_getMiniflareWorkerOptions } from "wrangler";

const ROOT = join(import.meta.dirname, "..", "..");
const WRANGLER = join(ROOT, "node_modules", "wrangler", "bin", "wrangler.js");
const NAME = "almanac";
/** Rate limiters work normally, with a limit that the benchmark cannot reach. */
const UNLIMITED = 1_000_000_000;

/** The members of Miniflare used here. It is a dependency of wrangler, not of this project. */
interface Miniflare {
  readonly ready: Promise<URL>;
  unsafeGetDirectURL(workerName: string): Promise<URL>;
  getD1Database(binding: string): Promise<D1Database>;
  dispose(): Promise<void>;
}

interface MiniflareModule {
  readonly Miniflare: new (options: object) => Miniflare;
  readonly convertV4MiniflareOptions: (options: object) => object;
}

/** The options that are changed here. */
interface Options {
  readonly bindings?: Readonly<Record<string, unknown>>;
  readonly ratelimits?: Readonly<Record<string, { readonly simple: object }>>;
}

const { Miniflare, convertV4MiniflareOptions } = createRequire(createRequire(import.meta.url).resolve("wrangler"))(
  "miniflare",
) as MiniflareModule;

/** What a deployment uploads. */
export interface Bundle {
  readonly script: string;
  /** The files that the script imports as texts, by their name there. */
  readonly texts: Readonly<Record<string, string>>;
}

/** Bundles for production with `wrangler deploy --dry-run`. */
export async function bundle(entry: string | null, outDir: string): Promise<Bundle> {
  await promisify(execFile)(
    process.execPath,
    [WRANGLER, "deploy", ...(entry === null ? [] : [entry]), "--dry-run", "--env=", `--outdir=${outDir}`],
    { cwd: ROOT, env: { ...process.env, CI: "1", WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true" } },
  );
  const names = await readdir(outDir);
  const read = (name: string) => readFile(join(outDir, name), "utf8");
  // Wrangler's own README has no hash in its name.
  const texts = names.filter((name) => /^[0-9a-f]{40}-.*\.md$/.test(name));
  return {
    script: await read(names.find((name) => name.endsWith(".js")) ?? ""),
    texts: Object.fromEntries(await Promise.all(texts.map(async (name) => [name, await read(name)] as const))),
  };
}

export interface Runtime {
  /** The direct socket of the Worker, without Miniflare's proxy. */
  readonly origin: string;
  d1(): Promise<D1Database>;
  /** The CPU time that all threads of the process have used. */
  cpuMs(): Promise<number>;
  stop(): Promise<void>;
}

/** What a deployment adds to wrangler.toml. */
const DEPLOYMENT = { ORIGIN: "https://almanac.example.org", TOKEN_KEY_ID: "k1" };

/** Starts one Worker with local versions of the production bindings, in a separate process. */
export async function startRuntime(
  { script, texts }: Bundle,
  stateDir: string,
  bindings: Readonly<Record<string, unknown>> = {},
): Promise<Runtime> {
  const { workerOptions } = unstable_getMiniflareWorkerOptions(join(ROOT, "wrangler.toml"), "");
  // The benchmark uses neither static assets nor e-mail.
  const { assets: _, email: __, ratelimits = {}, ...options } = workerOptions as typeof workerOptions & Options;
  const before = await findRuntimeProcesses(process.pid);
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      cf: false,
      resourcePersistencePath: stateDir,
      workers: [
        {
          ...options,
          name: NAME,
          bindings: { ...DEPLOYMENT, ...options.bindings, ...bindings },
          ratelimits: Object.fromEntries(
            Object.entries(ratelimits).map(([name, limiter]) => [
              name,
              { ...limiter, simple: { ...limiter.simple, limit: UNLIMITED } },
            ]),
          ),
          modules: [
            { type: "ESModule", path: "index.js", contents: script },
            ...Object.entries(texts).map(([path, contents]) => ({ type: "Text", path, contents })),
          ],
          unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
        },
      ],
    }),
  );
  const { origin } = await miniflare.unsafeGetDirectURL(NAME);
  const [pid, ...others] = (await findRuntimeProcesses(process.pid)).filter((found) => !before.includes(found));
  if (pid === undefined || others.length > 0) {
    await miniflare.dispose();
    throw new Error("the runtime's process was not found");
  }
  return {
    origin,
    d1: () => miniflare.getD1Database("DB"),
    cpuMs: () => cpuMs(pid),
    stop: () => miniflare.dispose(),
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
