import { execFile, spawn } from "node:child_process";
import { lookup } from "node:dns/promises";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { hostname, networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { nonPublicRange } from "#media/import/ip-ranges.ts";
import { freePort, sleep } from "./service.ts";

/*
 * Names that lead into a private network are refused by the runtime too, behind the gate: an import is made to go to
 * addresses of this machine in workerd itself, with the flags of wrangler.toml and the network a Worker has by default. A
 * listener counts who connects. The same once more where private networks are let in, so that it is seen to count.
 */

const ROOT = join(import.meta.dirname, "..");
const BIN = join(ROOT, "node_modules", ".bin");
const MAX_START_ATTEMPTS = 100;
const NON_INTERACTIVE_ENV = { CI: "1", WRANGLER_SEND_METRICS: "false" };
const OPEN_NETWORK = `(name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),`;

const dir = await mkdtemp(join(tmpdir(), "media-network-"));

interface Deployed {
  readonly compatibility_date: string;
  readonly compatibility_flags: readonly string[];
}

/** Bundles the Worker as it would be deployed; gives the date and the flags that it would be deployed with. */
async function bundle(): Promise<Deployed> {
  const settings = await readFile(join(ROOT, "wrangler.toml"), "utf8");
  const compatibility_date = /^compatibility_date = "(.+)"$/m.exec(settings)?.[1];
  const flags = /^compatibility_flags = (\[.+\])$/m.exec(settings)?.[1];
  if (compatibility_date === undefined || flags === undefined) {
    throw new Error("wrangler.toml names no compatibility date and flags");
  }
  const deployed: Deployed = { compatibility_date, compatibility_flags: JSON.parse(flags) as string[] };
  const config = join(dir, "wrangler.json");
  const main = join(import.meta.dirname, "media-network", "entry.ts");
  await writeFile(config, JSON.stringify({ name: "media-network", main, ...deployed }));
  const args = ["deploy", "--dry-run", `--config=${config}`, `--outdir=${dir}`];
  await promisify(execFile)(join(BIN, "wrangler"), args, {
    cwd: ROOT,
    env: { ...process.env, ...NON_INTERACTIVE_ENV },
  });
  return deployed;
}

interface Listener {
  readonly server: Server;
  readonly port: number;
  connections: number;
}

/** Answers everybody, on every address of this machine. */
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

/** Ways to say "this machine" that the gate would refuse by their text. */
const LOOPBACK = ["127.0.0.1", "127.1.2.3", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]"];

/** The runtime knows less ranges than the gate: a machine that has one of these tells nothing. */
const NOT_REFUSED_BY_RUNTIME: ReadonlySet<string | null> = new Set([null, "documentation", "benchmarking", "reserved"]);

/** What this machine is called and what addresses it has; a name is resolved like any other. */
async function hostsOfThisMachine(): Promise<string[]> {
  const named = await lookup(hostname()).catch(() => null);
  const names =
    named && !NOT_REFUSED_BY_RUNTIME.has(nonPublicRange(named.address)) ? ["localhost", hostname()] : ["localhost"];
  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ address, scopeid }) => !scopeid && !NOT_REFUSED_BY_RUNTIME.has(nonPublicRange(address)))
    .map(({ address, family }) => (family === "IPv6" ? `[${address}]` : address));
  return [...new Set([...names, ...LOOPBACK, ...own])];
}

interface Outcome {
  readonly answer: string;
  readonly connections: number;
}

/** Sends the Worker to each host, in a runtime of its own. */
async function requestAll(
  deployed: Deployed,
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
      compatibilityDate = "${deployed.compatibility_date}",
      compatibilityFlags = ${JSON.stringify(deployed.compatibility_flags)})),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`,
  );
  const runtime = spawn(join(BIN, "workerd"), ["serve", file], { cwd: dir, stdio: ["ignore", "ignore", "pipe"] });
  let complaints = "";
  runtime.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints += text;
  });
  const ask = async (address: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/?address=${encodeURIComponent(address)}`);
    return answer.text();
  };
  const outcomes = new Map<string, Outcome>();
  try {
    for (let tries = 0; !(await fetch(`http://127.0.0.1:${port}/?address=about:blank`).catch(() => null)); tries += 1) {
      if (tries > MAX_START_ATTEMPTS || runtime.exitCode !== null) {
        throw new Error(`the runtime did not come up: ${complaints}`);
      }
      await sleep(100);
    }
    for (const host of hosts) {
      const before = listener.connections;
      const answer = await ask(`http://${host}:${listener.port}/photo.png`);
      outcomes.set(host, { answer, connections: listener.connections - before });
    }
  } finally {
    runtime.kill("SIGKILL");
  }
  return outcomes;
}

let failed = false;
const listener = await startListener();
try {
  const deployed = await bundle();
  const hosts = await hostsOfThisMachine();
  const open = await requestAll(deployed, OPEN_NETWORK, hosts, listener);
  const usual = await requestAll(deployed, "", hosts, listener);
  for (const host of hosts) {
    const reached = open.get(host);
    const refused = usual.get(host);
    const counted = reached?.answer === "opened" && reached.connections > 0;
    const good = counted && refused?.answer === "source_unreachable" && refused.connections === 0;
    failed ||= !good;
    console.log(
      `${good ? "ok " : "BAD"}  ${host.padEnd(24)}  by default: ${refused?.answer}, ${refused?.connections} connections  ` +
        `private networks let in: ${reached?.answer}, ${reached?.connections} connections`,
    );
  }
} finally {
  listener.server.close();
  await rm(dir, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
