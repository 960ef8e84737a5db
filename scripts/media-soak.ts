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
 * How much memory a large video costs: one is imported by address with a stated length, one without, one uploaded in parts
 * with curl; all are served in 200 ranges and published, while the memory of the runtime's process and of the Worker's own
 * isolate is watched. The platforms are played in another process, as they are somewhere else in truth. `node scripts/media-soak.ts [--mib 1024] [--port 8770] [--allowed-mib 100] [--publish youtube,tiktok,x]`.
 */

const MIB = 1024 ** 2;
const RANGES = 200;
/** X takes no more. */
const X_MIB = 512;
const SMALL_MIB = 8;
/** The local stand-in of R2 grows with what it carries up to about here, and then stays. */
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
const platforms = values.publish.split(",").filter((word) => word !== "");

const dir = await mkdtemp(join(tmpdir(), "media-soak-"));
const pathOf = (name: string) => join(dir, `${name}.mp4`);
const films = { stated: mib, unstated: mib, parts: mib, x: Math.min(mib, X_MIB), small: SMALL_MIB };
const hashes = new Map<string, string>();
for (const [index, [name, filmMib]] of Object.entries(films).entries()) {
  await writeVideo(pathOf(name), filmMib * MIB, index + 1);
  hashes.set(name, await hashFile(pathOf(name)));
}
const sourceOrigin = `http://127.0.0.1:${port + 1}`;
const source = await serveFiles(port + 1, new Map(Object.keys(films).map((name) => [name, pathOf(name)])));
await migrate(join(dir, "state"));
const ports = { port, inspectorPort: port + 2 };
const far = await startRuntime({ port: port + 3, inspectorPort: port + 4 }, {}, join(dir, "platforms"));
const runtime = await startRuntime(
  ports,
  { SOAK_SOURCE: sourceOrigin, SOAK_PLATFORMS: far.origin },
  join(dir, "state"),
).catch((error: unknown) => {
  far.stop();
  throw error;
});
let failed = false;

/** Everything is used once before idle memory is read, so that only what a large file costs is left to see. */
async function settle(stage: SoakServices, processMib: () => Promise<number>): Promise<string> {
  const coldMib = await processMib();
  const small = await importFrom(runtime.origin, stage.apiKey, `${sourceOrigin}/plain/small`);
  await readInRanges(small, RANGES);
  for (const platform of platforms) {
    await publish(stage, platform, small.url);
  }
  await sleep(SETTLE_MS);
  const smallMib = await processMib();
  await (await fetch(`${runtime.origin}/soak/warm?bytes=${WARM_MIB * MIB}`)).text();
  await sleep(SETTLE_MS);
  return `${coldMib.toFixed(0)} MiB cold, ${smallMib.toFixed(0)} MiB after small files`;
}

try {
  await sleep(SETTLE_MS);
  const { api_key: key } = await call<{ api_key: string }>(runtime.origin, "POST", "/sandbox/users", { body: {} });
  const stage = { origin: runtime.origin, platformsOrigin: far.origin, key };
  const pid = await runtime.pid();
  const processMib = () => residentMib(pid);
  const before = await settle(stage, processMib);
  const isolateMib = await connectToIsolate(ports.inspectorPort);
  const idleMib = await processMib();
  console.log(
    `runtime process: ${before}, ${idleMib.toFixed(0)} MiB idle after a bare write, copy and read of ${WARM_MIB} MiB in the ` +
      `local bucket, which runs none of our code; the Worker's isolate: ${(await isolateMib()).toFixed(0)} MiB`,
  );

  const report = async (what: string, name: keyof typeof films, work: () => Promise<string>) => {
    const began = performance.now();
    const { value, peaks } = await peaksDuring([isolateMib, processMib], work);
    const [held = 0, resident = 0] = peaks;
    const seconds = (performance.now() - began) / 1000;
    const equal = value === hashes.get(name);
    const good = equal && held <= allowedMib && resident - idleMib <= allowedMib;
    failed ||= !good;
    console.log(
      [
        good ? "ok " : "BAD",
        what.padEnd(26),
        `${seconds.toFixed(1).padStart(6)} s ${(films[name] / seconds).toFixed(0).padStart(5)} MiB/s`,
        `isolate at most ${held.toFixed(0)} MiB`,
        `process at most ${resident.toFixed(0)} MiB (${(resident - idleMib).toFixed(0)} over idle)`,
        equal ? "sha256 equal" : `not the same: ${value}`,
      ].join("  "),
    );
  };
  const items = new Map<string, MediaItem>();
  const keep = async (name: keyof typeof films, item: Promise<MediaItem>) => {
    items.set(name, await item);
    return (await item).sha256;
  };
  const itemOf = (name: string) => items.get(name) as MediaItem;
  const importNamed = (how: string, name: keyof typeof films) => () =>
    keep(name, importFrom(runtime.origin, key, `${sourceOrigin}/${how}/${name}`));

  await report("import, length stated", "stated", importNamed("plain", "stated"));
  await report("import, length not stated", "unstated", importNamed("chunked", "unstated"));
  await report("upload in parts (curl -T)", "parts", () =>
    keep("parts", uploadInParts(runtime.origin, key, pathOf("parts"), mib * MIB)),
  );
  for (const name of ["stated", "unstated", "parts"] as const) {
    await report(`${RANGES} ranges of "${name}"`, name, () => readInRanges(itemOf(name), RANGES));
  }
  await report("one whole read", "stated", () => readWhole(itemOf("stated")));
  if (platforms.includes("x")) {
    await report(`import of ${films.x} MiB for X`, "x", importNamed("plain", "x"));
  }
  for (const platform of platforms) {
    const name = platform === "x" ? "x" : "parts";
    await report(`publish to ${platform}`, name, () => publish(stage, platform, itemOf(name).url));
  }
} finally {
  runtime.stop();
  far.stop();
  source.close();
  source.closeAllConnections();
  await rm(dir, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
