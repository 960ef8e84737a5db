import { execFile, spawn } from "node:child_process";
import { lookup } from "node:dns/promises";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { hostname, networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { nonPublicRange } from "#core/public-address/ip-ranges.ts";
import { freePort, sleep } from "./service.ts";

/*
 * Shows that the runtime itself refuses host names that resolve to private addresses, in addition to our URL check. workerd
 * runs an import of addresses of this machine, with the flags of wrangler.toml and a Worker's default network, while a
 * listener counts connections. A second run with private networks allowed shows that the listener counts them.
 */

const ROOT = join(import.meta.dirname, "..");
const BIN = join(ROOT, "node_modules", ".bin");
const MAX_START_ATTEMPTS = 100;
const NON_INTERACTIVE_ENV = { CI: "1", WRANGLER_SEND_METRICS: "false" };
const NETWORK_WITH_PRIVATE_ADDRESSES = `(name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),`;

const dir = await mkdtemp(join(tmpdir(), "media-network-"));

interface CompatibilitySettings {
  readonly compatibility_date: string;
  readonly compatibility_flags: readonly string[];
}

/** Bundles the Worker as for deployment; returns the compatibility date and flags of wrangler.toml. */
async function bundle(): Promise<CompatibilitySettings> {
  const settings = await readFile(join(ROOT, "wrangler.toml"), "utf8");
  const compatibility_date = /^compatibility_date = "(.+)"$/m.exec(settings)?.[1];
  const flags = /^compatibility_flags = (\[.+\])$/m.exec(settings)?.[1];
  if (compatibility_date === undefined || flags === undefined) {
    throw new Error("wrangler.toml has no compatibility date and flags");
  }
  const compatibility: CompatibilitySettings = {
    compatibility_date,
    compatibility_flags: JSON.parse(flags) as string[],
  };
  const config = join(dir, "wrangler.json");
  const main = join(import.meta.dirname, "media-network", "entry.ts");
  await writeFile(config, JSON.stringify({ name: "media-network", main, ...compatibility }));
  const args = ["deploy", "--dry-run", `--config=${config}`, `--outdir=${dir}`];
  await promisify(execFile)(join(BIN, "wrangler"), args, {
    cwd: ROOT,
    env: { ...process.env, ...NON_INTERACTIVE_ENV },
  });
  return compatibility;
}

interface Listener {
  readonly server: Server;
  readonly port: number;
  connections: number;
}

/** Answers every connection, on every address of this machine. */
async function startListener(): Promise<Listener> {
  const port = await freePort();
  const server = createServer((socket) => {
    listener.connections += 1;
    socket.on("error", () => socket.destroy());
    socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok"));
  });
  const listener: Listener = { server, port, connections: 0 };
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, () => resolve());
  });
  return listener;
}

/** Spellings of this machine's address that the URL check refuses. */
const LOOPBACK = ["127.0.0.1", "127.1.2.3", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]"];

/** The URL check refuses these ranges but the runtime does not, so an address in one of them proves nothing here. */
const NOT_REFUSED_BY_RUNTIME: ReadonlySet<string | null> = new Set([null, "documentation", "benchmarking", "reserved"]);

/** The host names and addresses of this machine. */
async function hostsOfThisMachine(): Promise<string[]> {
  const resolved = await lookup(hostname()).catch(() => null);
  const names =
    resolved && !NOT_REFUSED_BY_RUNTIME.has(nonPublicRange(resolved.address))
      ? ["localhost", hostname()]
      : ["localhost"];
  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ address, scopeid }) => !scopeid && !NOT_REFUSED_BY_RUNTIME.has(nonPublicRange(address)))
    .map(({ address, family }) => (family === "IPv6" ? `[${address}]` : address));
  return [...new Set([...names, ...LOOPBACK, ...own])];
}

interface Outcome {
  readonly result: string;
  readonly connections: number;
}

/** Makes the Worker request each host, in its own runtime. */
async function requestAll(
  compatibility: CompatibilitySettings,
  network: string,
  hosts: readonly string[],
  listener: Listener,
): Promise<Map<string, Outcome>> {
  const port = await freePort();
  const file = join(dir, `${port}.capnp`);
  await writeFile(
    file,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    ${network}
    (name = "main", worker = (modules = [(name = "entry.js", esModule = embed "entry.js")],
      compatibilityDate = "${compatibility.compatibility_date}",
      compatibilityFlags = ${JSON.stringify(compatibility.compatibility_flags)})),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`,
  );
  const runtime = spawn(join(BIN, "workerd"), ["serve", "--experimental", file], {
    cwd: dir,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let runtimeErrors = "";
  runtime.stderr.setEncoding("utf8").on("data", (text: string) => {
    runtimeErrors += text;
  });
  const requestFromWorker = async (address: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/?address=${encodeURIComponent(address)}`);
    return response.text();
  };
  const outcomes = new Map<string, Outcome>();
  try {
    for (
      let attempts = 0;
      !(await fetch(`http://127.0.0.1:${port}/?address=about:blank`).catch(() => null));
      attempts += 1
    ) {
      if (attempts > MAX_START_ATTEMPTS || runtime.exitCode !== null) {
        throw new Error(`the runtime did not start: ${runtimeErrors}`);
      }
      await sleep(100);
    }
    for (const host of hosts) {
      const before = listener.connections;
      const result = await requestFromWorker(`http://${host}:${listener.port}/photo.png`);
      outcomes.set(host, { result, connections: listener.connections - before });
    }
  } finally {
    runtime.kill("SIGKILL");
  }
  return outcomes;
}

let failed = false;
const listener = await startListener();
try {
  const compatibility = await bundle();
  const hosts = await hostsOfThisMachine();
  const withPrivateNetworks = await requestAll(compatibility, NETWORK_WITH_PRIVATE_ADDRESSES, hosts, listener);
  const byDefault = await requestAll(compatibility, "", hosts, listener);
  for (const host of hosts) {
    const reached = withPrivateNetworks.get(host);
    const refused = byDefault.get(host);
    const isReachable = reached?.result === "opened" && reached.connections > 0;
    const ok = isReachable && refused?.result === "source_unreachable" && refused.connections === 0;
    failed ||= !ok;
    console.log(
      `${ok ? "ok " : "BAD"}  ${host.padEnd(24)}  by default: ${refused?.result}, ${refused?.connections} connections  ` +
        `private networks allowed: ${reached?.result}, ${reached?.connections} connections`,
    );
  }
} finally {
  listener.server.close();
  await rm(dir, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
