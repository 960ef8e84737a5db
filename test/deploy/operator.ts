import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DOCUMENT_FILES, DOCUMENT_FOLDERS } from "../../scripts/build/documents.ts";
import type { CloudflareApi, Trouble } from "./cloudflare-api.ts";
import type { DeployedWorker } from "./deployed-worker.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");

/** A small Worker, with the classes of the real one: it says its version, and that it has its secrets. */
const SMALL_WORKER = `
export class PostPublisher {}
export class DatabaseWatch {}
export class WebhookSender {}
export default {
  fetch(request, env) {
    return Response.json({ status: env.TOKEN_KEYS ? "ok" : "no keys", version: ALMANAC_VERSION });
  },
};
`;

export interface Run {
  readonly code: number | null;
  readonly output: string;
  /** The command lines of all processes while it ran. */
  readonly processes: string;
}

interface RunOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly trouble?: Trouble | null;
  /** Kills the command and wrangler after this call was done, before its answer. */
  readonly killAfter?: string;
  /** Called with the process when it has started. */
  readonly onStart?: (pid: number) => void;
  /** Called with every call to the API before it is answered. */
  readonly onCall?: (call: { readonly name: string }) => unknown;
}

/** Somebody with a clone of the repository and a login at Cloudflare. */
export class Operator {
  readonly folder: string;
  readonly #api: CloudflareApi;

  private constructor(folder: string, api: CloudflareApi) {
    this.folder = folder;
    this.#api = api;
  }

  /** A clone of the whole service. */
  static async withWholeClone(api: CloudflareApi): Promise<Operator> {
    const operator = await Operator.withClone(api);
    const { folder } = operator;
    await rm(path.join(folder, "src"), { recursive: true });
    await cp(path.join(ROOT, "src"), path.join(folder, "src"), { recursive: true });
    await cp(path.join(ROOT, "scripts"), path.join(folder, "scripts"), {
      recursive: true,
      filter: (from) => !from.includes("node_modules"),
    });
    for (const part of ["package.json", "tsconfig.json", ...DOCUMENT_FOLDERS, ...DOCUMENT_FILES]) {
      await cp(path.join(ROOT, part), path.join(folder, part), { recursive: true });
    }
    return operator;
  }

  /** A clone with a small Worker instead of the service, so that a build takes no time; the migrations are the real ones or those given. */
  static async withClone(api: CloudflareApi, migrations?: Readonly<Record<string, string>>): Promise<Operator> {
    const folder = await mkdtemp(path.join(tmpdir(), "almanac-deploy-"));
    await mkdir(path.join(folder, ".wrangler/assets"), { recursive: true });
    await mkdir(path.join(folder, "home"));
    await mkdir(path.join(folder, "src"));
    await writeFile(path.join(folder, ".wrangler/assets/pages.css"), "body{}");
    await writeFile(path.join(folder, "src/index.ts"), SMALL_WORKER);
    await writeFile(
      path.join(folder, "package.json"),
      JSON.stringify({
        version: "1.2.3",
        type: "module",
        scripts: { build: `node '${path.join(ROOT, "scripts/build.ts")}'` },
      }),
    );
    if (migrations === undefined) {
      await cp(path.join(ROOT, "migrations"), path.join(folder, "migrations"), { recursive: true });
    } else {
      await mkdir(path.join(folder, "migrations"));
      for (const [name, sql] of Object.entries(migrations)) {
        await writeFile(path.join(folder, "migrations", name), sql);
      }
    }
    await cp(path.join(ROOT, "wrangler.toml"), path.join(folder, "wrangler.toml"));
    await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
    return new Operator(folder, api);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  file(name: string): Promise<string> {
    return readFile(path.join(this.folder, name), "utf8");
  }

  async write(name: string, content: string): Promise<void> {
    const file = path.join(this.folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }

  /** `npm run deploy`, with wrangler and all. */
  deploy(options: RunOptions = {}): Promise<Run> {
    return this.run("deploy", options);
  }

  /** `npm run doctor`. */
  doctor(options: RunOptions = {}): Promise<Run> {
    return this.run("doctor", options);
  }

  /** A command of the project, with wrangler and all. */
  run(
    command: "deploy" | "doctor" | "backup" | "restore" | "user",
    { args = [], env = {}, trouble = null, killAfter, onStart, onCall }: RunOptions = {},
  ): Promise<Run> {
    this.#api.begin(null);
    const child = spawn(
      process.execPath,
      [
        "--import",
        path.join(import.meta.dirname, "reach-workers.ts"),
        path.join(ROOT, `scripts/${command}.ts`),
        ...args,
      ],
      {
        cwd: this.folder,
        // A group of its own, so that a kill takes wrangler with it.
        detached: true,
        env: {
          PATH: process.env["PATH"],
          // The clock of `npm run at`.
          LD_PRELOAD: process.env["LD_PRELOAD"],
          HOME: path.join(this.folder, "home"),
          XDG_CONFIG_HOME: path.join(this.folder, "home/.config"),
          CLOUDFLARE_API_TOKEN: this.#api.token,
          CLOUDFLARE_API_BASE_URL: this.#api.baseUrl,
          TEST_WORKERS_AT: this.#api.origin,
          ...env,
        },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    const { pid = 0 } = child;
    const kill = () => void process.kill(-pid, "SIGKILL");
    this.#api.begin(trouble?.kind === "kill" ? { ...trouble, kill } : trouble);
    this.#api.onCall = (call, isDone) => {
      if (isDone && call.name === killAfter) {
        kill();
      }
      return isDone ? undefined : onCall?.(call);
    };
    onStart?.(pid);
    let output = "";
    let processes = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        output += chunk;
      });
    }
    const watch = setInterval(() => void listProcesses().then((list) => (processes += list)), 500);
    return new Promise((resolve) => {
      child.once("close", (code) => {
        clearInterval(watch);
        resolve({ code, output, processes });
      });
    });
  }
}

async function listProcesses(): Promise<string> {
  const child = spawn("ps", ["-A", "-o", "args="], { stdio: ["ignore", "pipe", "ignore"] });
  let list = "";
  for await (const chunk of child.stdout.setEncoding("utf8")) {
    list += chunk as string;
  }
  return list;
}

/** Runs the code of the deployed version with its variables and secrets. */
export async function answerFromCode(worker: DeployedWorker, request: Request): Promise<Response> {
  const code = worker.current.modules[0]?.contents ?? "";
  const module = (await import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`)) as {
    default: { fetch(request: Request, env: Record<string, string>): Response };
  };
  return module.default.fetch(request, { ...worker.vars, ...worker.secrets });
}

/** The files of a folder whose content is as asked, also those that no list shows. */
export async function filesUnder(folder: string, matches: (content: string) => boolean): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const found: string[] = [];
    for (const entry of entries.filter((one) => one.isFile() && !one.parentPath.includes("node_modules"))) {
      const file = path.join(entry.parentPath, entry.name);
      if (matches(await readFile(file, "latin1"))) {
        found.push(path.relative(folder, file));
      }
    }
    return found.toSorted();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
      throw error;
    }
    // A program that was interrupted is still deleting what it wrote: look again.
    return filesUnder(folder, matches);
  }
}
