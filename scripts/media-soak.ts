import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { hashFile, writeFilm } from "./media-soak/film.ts";
import { openIsolate, peaksDuring, residentMib, runtimePids } from "./media-soak/memory.ts";
import { answers, call, migrate, pause } from "./service.ts";

/*
 * How much memory a large video costs: one is imported by address (with and without a stated length), one uploaded in
 * parts with curl, and both are served in 200 ranges, while the runtime's resident memory is watched.
 * `node scripts/media-soak.ts [--mib 1024] [--port 8770] [--allowed-mib 100]`.
 */

const MIB = 1024 ** 2;
const RANGES = 200;
const PARALLEL = 6;
const ROOT = join(import.meta.dirname, "..");

interface MediaItem {
  readonly id: string;
  readonly url: string;
  readonly sha256: string;
  readonly size_bytes: number;
}

interface StartedUpload {
  readonly upload: {
    readonly parts: readonly { readonly part_number: number; readonly url: string; readonly size_bytes: number }[];
    readonly complete_url: string;
  };
  readonly media_item: { readonly url: string };
}

/** Files by name; `/plain/` says the length, `/chunked/` does not. */
function serveFiles(port: number, files: ReadonlyMap<string, string>): Promise<Server> {
  const server = createServer((request, response) => {
    const [, how, name = ""] = (request.url ?? "").split("/");
    const path = files.get(name);
    if (!path) {
      response.writeHead(404).end();
      return;
    }
    void stat(path).then(({ size }) => {
      response.writeHead(200, { "content-type": "video/mp4", ...(how === "plain" && { "content-length": size }) });
      createReadStream(path, { highWaterMark: 256 * 1024 }).pipe(response);
    });
  });
  return new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve(server)));
}

async function startRuntime(port: number, sourceOrigin: string, stateDir: string) {
  const origin = `http://localhost:${port}`;
  const wrangler = join(ROOT, "node_modules", "wrangler", "bin", "wrangler.js");
  const child = spawn(
    process.execPath,
    [
      wrangler,
      "dev",
      "scripts/media-soak/entry.ts",
      ...["--env", "sandbox", "--port", String(port), "--inspector-port", String(port + 2), "--persist-to", stateDir],
      ...["--var", `ORIGIN:${origin}`, "--var", `SOAK_SOURCE:${sourceOrigin}`, "--show-interactive-dev-session=false"],
    ],
    {
      cwd: ROOT,
      detached: true,
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, CI: "1", WRANGLER_SEND_METRICS: "false" },
    },
  );
  const group = child.pid ?? 0;
  const stop = () => process.kill(-group, "SIGKILL");
  for (let tries = 0; !(await answers(origin)); tries += 1) {
    if (tries > 120 || child.exitCode !== null) {
      stop();
      throw new Error("the service did not come up");
    }
    await pause(500);
  }
  return { origin, stop, pids: await runtimePids(group) };
}

async function uploadInParts(origin: string, key: string, path: string, sizeBytes: number): Promise<MediaItem> {
  const { upload } = await call<StartedUpload>(origin, "POST", "/v1/media/uploads", {
    key,
    body: { filename: "film.mp4", content_type: "video/mp4", size_bytes: sizeBytes },
  });
  const partBytes = upload.parts[0]?.size_bytes ?? 0;
  // The last first: parts may come in any order.
  for (const part of upload.parts.toReversed()) {
    const piece = `${path}.part`;
    await promisify(execFile)("dd", [
      ...[`if=${path}`, `of=${piece}`, `bs=${MIB}`, "status=none"],
      ...[`skip=${((part.part_number - 1) * partBytes) / MIB}`, `count=${Math.ceil(part.size_bytes / MIB)}`],
    ]);
    const { stdout } = await promisify(execFile)("curl", ["-sS", "--fail-with-body", "-T", piece, part.url]);
    JSON.parse(stdout);
  }
  const done = await fetch(upload.complete_url, { method: "POST" });
  const { media_item } = (await done.json()) as { media_item?: MediaItem };
  if (!media_item) {
    throw new Error(`the upload could not be completed: ${done.status}`);
  }
  return media_item;
}

/** Reads the whole file in `RANGES` pieces, some at a time; its hash when every piece was right. */
async function readInRanges({ url, size_bytes: size }: MediaItem): Promise<string> {
  const step = Math.ceil(size / RANGES);
  const pieces: Buffer[] = [];
  const hash = createHash("sha256");
  let next = 0;
  let hashed = 0;
  const work = async () => {
    for (let index = next++; index * step < size; index = next++) {
      const last = Math.min(size, (index + 1) * step) - 1;
      const answer = await fetch(url, { headers: { range: `bytes=${index * step}-${last}` } });
      if (answer.status !== 206 || answer.headers.get("content-range") !== `bytes ${index * step}-${last}/${size}`) {
        throw new Error(`range ${index} was answered with ${answer.status}`);
      }
      pieces[index] = Buffer.from(await answer.arrayBuffer());
      for (let piece = pieces[hashed]; piece; piece = pieces[hashed]) {
        hash.update(piece);
        delete pieces[hashed];
        hashed += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return hash.digest("hex");
}

async function readWhole({ url }: MediaItem): Promise<string> {
  const hash = createHash("sha256");
  const answer = await fetch(url);
  for await (const piece of answer.body ?? []) {
    hash.update(piece);
  }
  return hash.digest("hex");
}

const { values } = parseArgs({
  options: {
    mib: { type: "string", default: "1024" },
    port: { type: "string", default: "8770" },
    "allowed-mib": { type: "string", default: "100" },
  },
});
const port = Number(values.port);
const sizeBytes = Number(values.mib) * MIB;
const allowedMib = Number(values["allowed-mib"]);
const dir = await mkdtemp(join(tmpdir(), "media-soak-"));
const names = ["stated", "unstated", "parts"] as const;
const paths = new Map(names.map((name) => [name as string, join(dir, `${name}.mp4`)]));
const hashes = new Map<string, string>();
for (const [index, [name, path]] of [...paths].entries()) {
  await writeFilm(path, sizeBytes, index + 1);
  hashes.set(name, await hashFile(path));
}
const sourceOrigin = `http://127.0.0.1:${port + 1}`;
const source = await serveFiles(port + 1, paths);
await migrate(join(dir, "state"));
const runtime = await startRuntime(port, sourceOrigin, join(dir, "state"));
let failed = false;
try {
  const { api_key: key } = await call<{ api_key: string }>(runtime.origin, "POST", "/sandbox/users", { body: {} });
  const importFrom = async (address: string) => {
    const { media_items } = await call<{ media_items: MediaItem[] }>(runtime.origin, "POST", "/v1/media", {
      key,
      body: { urls: [address] },
    });
    return media_items[0] as MediaItem;
  };
  const isolateMib = await openIsolate(port + 2);
  const processMib = () => residentMib(runtime.pids);
  const coldMib = await processMib();
  await (await fetch(`${runtime.origin}/soak/warm?bytes=${sizeBytes}`)).text();
  await pause(3000);
  const idleMib = await processMib();
  console.log(
    `runtime processes: ${coldMib.toFixed(0)} MiB at rest, ${idleMib.toFixed(0)} MiB after a bare write and copy of ${values.mib} MiB in the local bucket; ` +
      `the Worker's isolate: ${(await isolateMib()).toFixed(0)} MiB`,
  );
  const report = async (what: string, name: string, work: () => Promise<string>) => {
    const began = performance.now();
    const { value, peaks } = await peaksDuring([isolateMib, processMib], work);
    const [isolate = 0, resident = 0] = peaks;
    const seconds = (performance.now() - began) / 1000;
    const equal = value === hashes.get(name);
    const good = equal && isolate <= allowedMib && resident - idleMib <= allowedMib;
    failed ||= !good;
    console.log(
      [
        good ? "ok " : "BAD",
        what.padEnd(26),
        `${seconds.toFixed(1).padStart(6)} s ${(sizeBytes / MIB / seconds).toFixed(0).padStart(5)} MiB/s`,
        `isolate at most ${isolate.toFixed(0).padStart(3)} MiB`,
        `processes at most ${resident.toFixed(0)} MiB (${(resident - idleMib).toFixed(0)} over idle)`,
        `sha256 ${equal ? "equal" : "DIFFERS"}`,
      ].join("  "),
    );
  };
  const items = new Map<string, MediaItem>();
  const keep = async (name: string, item: Promise<MediaItem>) => {
    items.set(name, await item);
    return (await item).sha256;
  };
  await report("import, length stated", "stated", () => keep("stated", importFrom(`${sourceOrigin}/plain/stated`)));
  await report("import, length not stated", "unstated", () =>
    keep("unstated", importFrom(`${sourceOrigin}/chunked/unstated`)),
  );
  await report("upload in parts (curl -T)", "parts", () =>
    keep("parts", uploadInParts(runtime.origin, key, paths.get("parts") ?? "", sizeBytes)),
  );
  for (const name of names) {
    const item = items.get(name) as MediaItem;
    await report(`${RANGES} ranges of "${name}"`, name, () => readInRanges(item));
  }
  await report("one whole read", "stated", () => readWhole(items.get("stated") as MediaItem));
} finally {
  runtime.stop();
  source.close();
  source.closeAllConnections();
  await rm(dir, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;
