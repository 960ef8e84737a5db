import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { hashFile, writeVideo } from "./media-soak/video-file.ts";
import { connectToIsolate, peaksDuring, residentMib } from "./memory.ts";
import { publish, type SoakServices } from "./media-soak/publish.ts";
import { serveFiles, startRuntime } from "./media-soak/runtime.ts";
import { importFrom, type MediaItem, readInRanges, readWhole, uploadInParts } from "./media-soak/transfer.ts";
import { call, migrate, sleep } from "./service.ts";

/*
 * Measures the memory that large videos cost: one is imported with a content-length, one without, and one is uploaded in parts
 * with curl. All are served in 200 ranges and published, while the memory of the runtime process and of the Worker's isolate is
 * sampled. The platforms are simulated in another process, so that their memory is not counted.
 * `node scripts/media-soak.ts [--mib 1024] [--port 8770] [--allowed-mib 100] [--publish youtube,tiktok,x]`.
 */

const MIB = 1024 ** 2;
const RANGES = 200;
/** X accepts no larger video. */
const X_MIB = 512;
const SMALL_MIB = 8;
/** The local R2 simulation's memory grows with the bytes it transfers up to about here, and then stays constant. */
const WARM_MIB = 1024;
const SETTLE_MS = 3000;

const { values } = parseArgs({
  options: {
    mib: { type: "string", default: "1024" },
    port: { type: "string", default: "8770" },
    "allowed-mib": { type: "string", default: "100" },
    publish: { type: "string", default: "youtube,tiktok,x" },
  },
});
const port = Number(values.port);
const mib = Number(values.mib);
const allowedMib = Number(values["allowed-mib"]);
const platforms = values.publish.split(",").filter((platform) => platform !== "");

const dir = await mkdtemp(join(tmpdir(), "media-soak-"));
const videoPath = (name: string) => join(dir, `${name}.mp4`);
const videoMib = { stated: mib, unstated: mib, parts: mib, x: Math.min(mib, X_MIB), small: SMALL_MIB };
const hashes = new Map<string, string>();
for (const [index, [name, sizeMib]] of Object.entries(videoMib).entries()) {
  await writeVideo(videoPath(name), sizeMib * MIB, index + 1);
  hashes.set(name, await hashFile(videoPath(name)));
}
const sourceOrigin = `http://127.0.0.1:${port + 1}`;
const source = await serveFiles(port + 1, new Map(Object.keys(videoMib).map((name) => [name, videoPath(name)])));
await migrate(join(dir, "state"));
const ports = { port, inspectorPort: port + 2 };
const platformsRuntime = await startRuntime({ port: port + 3, inspectorPort: port + 4 }, {}, join(dir, "platforms"));
const runtime = await startRuntime(
  ports,
  { SOAK_SOURCE: sourceOrigin, SOAK_PLATFORMS: platformsRuntime.origin },
  join(dir, "state"),
).catch((error: unknown) => {
  platformsRuntime.stop();
  throw error;
});
let failed = false;

/** Runs every path once before idle memory is measured, so that only the cost of a large file remains. */
async function warmUp(services: SoakServices, processMib: () => Promise<number>): Promise<string> {
  const coldMib = await processMib();
  const small = await importFrom(runtime.origin, services.apiKey, `${sourceOrigin}/plain/small`);
  await readInRanges(small, RANGES);
  for (const platform of platforms) {
    await publish(services, platform, small.url);
  }
  await sleep(SETTLE_MS);
  const smallMib = await processMib();
  await (await fetch(`${runtime.origin}/soak/warm?bytes=${WARM_MIB * MIB}`)).text();
  await sleep(SETTLE_MS);
  return `${coldMib.toFixed(0)} MiB cold, ${smallMib.toFixed(0)} MiB after small files`;
}

try {
  await sleep(SETTLE_MS);
  const { api_key: apiKey } = await call<{ api_key: string }>(runtime.origin, "POST", "/sandbox/users", { body: {} });
  const services = { origin: runtime.origin, platformsOrigin: platformsRuntime.origin, apiKey };
  const pid = await runtime.pid();
  const processMib = () => residentMib(pid);
  const before = await warmUp(services, processMib);
  const isolateMib = await connectToIsolate(ports.inspectorPort);
  const idleMib = await processMib();
  console.log(
    `runtime process: ${before}, ${idleMib.toFixed(0)} MiB idle after a write, copy and read of ${WARM_MIB} MiB in the ` +
      `local bucket, which runs none of our code; the Worker's isolate: ${(await isolateMib()).toFixed(0)} MiB`,
  );

  const report = async (what: string, name: keyof typeof videoMib, work: () => Promise<string>) => {
    const startedAt = performance.now();
    const { value, peaks } = await peaksDuring([isolateMib, processMib], work);
    const [isolatePeak = 0, processPeak = 0] = peaks;
    const seconds = (performance.now() - startedAt) / 1000;
    const hashMatches = value === hashes.get(name);
    const ok = hashMatches && isolatePeak <= allowedMib && processPeak - idleMib <= allowedMib;
    failed ||= !ok;
    console.log(
      [
        ok ? "ok " : "BAD",
        what.padEnd(26),
        `${seconds.toFixed(1).padStart(6)} s ${(videoMib[name] / seconds).toFixed(0).padStart(5)} MiB/s`,
        `isolate at most ${isolatePeak.toFixed(0)} MiB`,
        `process at most ${processPeak.toFixed(0)} MiB (${(processPeak - idleMib).toFixed(0)} over idle)`,
        hashMatches ? "sha256 equal" : `not the same: ${value}`,
      ].join("  "),
    );
  };
  const items = new Map<string, MediaItem>();
  const record = async (name: keyof typeof videoMib, item: Promise<MediaItem>) => {
    items.set(name, await item);
    return (await item).sha256;
  };
  const itemOf = (name: string) => items.get(name) as MediaItem;
  const importNamed = (path: string, name: keyof typeof videoMib) => () =>
    record(name, importFrom(runtime.origin, apiKey, `${sourceOrigin}/${path}/${name}`));

  await report("import, with content-length", "stated", importNamed("plain", "stated"));
  await report("import, no content-length", "unstated", importNamed("chunked", "unstated"));
  await report("upload in parts (curl -T)", "parts", () =>
    record("parts", uploadInParts(runtime.origin, apiKey, videoPath("parts"), mib * MIB)),
  );
  for (const name of ["stated", "unstated", "parts"] as const) {
    await report(`${RANGES} ranges of "${name}"`, name, () => readInRanges(itemOf(name), RANGES));
  }
  await report("read in one request", "stated", () => readWhole(itemOf("stated")));
  if (platforms.includes("x")) {
    await report(`import of ${videoMib.x} MiB for X`, "x", importNamed("plain", "x"));
  }
  for (const platform of platforms) {
    const name = platform === "x" ? "x" : "parts";
    await report(`publish to ${platform}`, name, () => publish(services, platform, itemOf(name).url));
  }
} finally {
  runtime.stop();
  platformsRuntime.stop();
  source.close();
  source.closeAllConnections();
  await rm(dir, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
