import { execFile, spawn } from "node:child_process";
import { createReadStream, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { outputFolder } from "../build/options.ts";
import { isAnswering, sleep } from "../service.ts";
import { runtimePid } from "../memory.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const MAX_START_ATTEMPTS = 120;

/** Serves files by name; under `/plain/` with a content-length, under `/chunked/` without. */
export function serveFiles(port: number, files: ReadonlyMap<string, string>): Promise<Server> {
  const server = createServer((request, response) => {
    const [, encoding, name = ""] = (request.url ?? "").split("/");
    const path = files.get(name);
    if (!path) {
      response.writeHead(404).end();
      return;
    }
    const length = encoding === "plain" ? { "content-length": statSync(path).size } : {};
    response.writeHead(200, { "content-type": "video/mp4", ...length });
    createReadStream(path, { highWaterMark: 256 * 1024 }).pipe(response);
  });
  return new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve(server)));
}

export interface Runtime {
  readonly origin: string;
  /** Of the process that runs the Worker; wrangler replaces it once or twice during startup. */
  pid(): Promise<number>;
  stop(): void;
}

/** Starts the Worker of entry.ts in its own process. */
export async function startRuntime(
  { port, inspectorPort }: { readonly port: number; readonly inspectorPort: number },
  vars: Readonly<Record<string, string>>,
  stateDir: string,
): Promise<Runtime> {
  const origin = `http://localhost:${port}`;
  await promisify(execFile)(process.execPath, ["scripts/build.ts", "media-soak"], { cwd: ROOT });
  const child = spawn(
    process.execPath,
    [
      join(ROOT, "node_modules", "wrangler", "bin", "wrangler.js"),
      "dev",
      join(outputFolder("media-soak"), "index.mjs"),
      "--env=sandbox",
      `--port=${port}`,
      `--inspector-port=${inspectorPort}`,
      `--persist-to=${stateDir}`,
      ...Object.entries({ ORIGIN: origin, ...vars }).map(([name, value]) => `--var=${name}:${value}`),
      "--show-interactive-dev-session=false",
    ],
    {
      cwd: ROOT,
      detached: true,
      stdio: ["ignore", "ignore", "inherit"],
      env: {
        ...process.env,
        CI: "1",
        WRANGLER_SEND_METRICS: "false",
        // Its own registry, so that it does not connect to other Workers of the same name, such as this run's other process.
        WRANGLER_REGISTRY_PATH: join(stateDir, "registry"),
      },
    },
  );
  const group = child.pid ?? 0;
  const stop = () => {
    process.kill(-group, "SIGKILL");
  };
  for (let attempts = 0; !(await isAnswering(origin)); attempts += 1) {
    if (attempts > MAX_START_ATTEMPTS || child.exitCode !== null) {
      stop();
      throw new Error("the service did not start");
    }
    await sleep(500);
  }
  return { origin, stop, pid: () => runtimePid(group, port) };
}
