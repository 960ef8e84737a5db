import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { inspectStagedFile } from "#media/storage/inspect-staged-file.ts";
import { mutations } from "../test/media/mutations.ts";
import { concatBytes } from "../test/media/bytes.ts";
import { EXPENSIVE_FILES, type SampleOf } from "../test/media/expensive-files.ts";

/*
 * Measures the CPU time that inspecting one file takes, with the code that imports use: for mutated and random files of every
 * format, and for files made to be expensive. `npm run media:cpu -- [--files 2000] [--rounds 5] [--allowed-ms 50] [--seed 1]`.
 */

const SAMPLES = join(import.meta.dirname, "..", "test", "media", "samples");
const WARM_UP_ROUNDS = 300;

const { values } = parseArgs({
  options: {
    files: { type: "string", default: "2000" },
    rounds: { type: "string", default: "5" },
    "allowed-ms": { type: "string", default: "50" },
    seed: { type: "string", default: "1" },
  },
});
const fileCount = Number(values.files);
const rounds = Number(values.rounds);
const seed = Number(values.seed);
const allowedMs = Number(values["allowed-ms"]);

type Bytes = Uint8Array<ArrayBuffer>;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** A bucket with one object in memory, so that reading costs almost nothing beside the inspection. */
function bucketOf(bytes: Bytes): R2Bucket {
  const bucket: unknown = {
    get: (_key: string, { range: { offset, length } }: { range: { offset: number; length: number } }) =>
      Promise.resolve({ arrayBuffer: () => Promise.resolve(bytes.slice(offset, offset + length).buffer) }),
  };
  return bucket as R2Bucket;
}

const inspectBytes = (bytes: Bytes) =>
  inspectStagedFile(bucketOf(bytes), {
    sizeBytes: bytes.length,
    inMemory: null,
    objects: [{ key: "incoming/file", sizeBytes: bytes.length }],
  });

/** The CPU time of all threads of this process, including compilation and garbage collection. */
async function cpuMs(bytes: Bytes): Promise<number> {
  const before = process.cpuUsage();
  await inspectBytes(bytes);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

interface Measurement {
  readonly ms: number;
  readonly fileName: string;
}
const measurements = new Map<string, Measurement[]>();

function addMeasurement(format: string, measurement: Measurement): void {
  measurements.set(format, [...(measurements.get(format) ?? []), measurement]);
}

const FORMATS: Readonly<Record<string, string>> = { jpg: "jpeg", m4a: "mp4", mov: "mp4", mkv: "webm" };
const samples = new Map<string, Bytes>();
for (const file of await readdir(SAMPLES)) {
  samples.set(file.replace(/\.bin$/, ""), new Uint8Array(await readFile(join(SAMPLES, file))));
}
const sample: SampleOf = (name) => Uint8Array.from(samples.get(name) ?? []);
const formatOf = (name: string): string => {
  const ending = name.split(".").at(-1) ?? "";
  return FORMATS[ending] ?? ending;
};

function* mutatedFiles(): Generator<readonly [format: string, bytes: Bytes]> {
  const each = Math.ceil(fileCount / samples.size);
  const mutation = mutations([...samples.values()]);
  for (const [name, whole] of samples) {
    for (const fileMutations of fc.sample(fc.array(mutation, { minLength: 1, maxLength: 6 }), {
      numRuns: each,
      seed,
    })) {
      yield [formatOf(name), fileMutations.reduce((bytes, mutate) => mutate(bytes), Uint8Array.from(whole))];
    }
    const noise = fc.tuple(fc.nat(64), fc.uint8Array({ maxLength: 100_000, size: "max" }));
    for (const [keptBytes, tail] of fc.sample(noise, { numRuns: Math.ceil(each / 4), seed })) {
      yield [formatOf(name), concatBytes(whole.subarray(0, keptBytes), tail)];
    }
  }
}

for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
  for (const bytes of samples.values()) {
    await inspectBytes(bytes);
  }
}
for (const { make } of EXPENSIVE_FILES) {
  await inspectBytes(make(sample));
}
collectGarbage();

for (const [format, bytes] of mutatedFiles()) {
  addMeasurement(format, { ms: await cpuMs(bytes), fileName: "mutated" });
}
for (const { format, name, make } of EXPENSIVE_FILES) {
  const bytes = make(sample);
  for (let round = 0; round < rounds; round += 1) {
    // Collects the garbage of earlier files now, so that this measurement does not include it.
    collectGarbage();
    addMeasurement(format, { ms: await cpuMs(bytes), fileName: name });
  }
}

let failed = false;
for (const [format, unordered] of measurements) {
  const ordered = unordered.toSorted((a, b) => a.ms - b.ms);
  const percentile = (share: number) =>
    (ordered[Math.ceil(share * ordered.length) - 1]?.ms ?? 0).toFixed(2).padStart(6);
  const worst = ordered.at(-1);
  const withinLimit = (worst?.ms ?? 0) <= allowedMs;
  failed ||= !withinLimit;
  console.log(
    `${withinLimit ? "ok " : "BAD"}  ${format.padEnd(4)}  ${String(ordered.length).padStart(5)} inspections  p50 ${percentile(0.5)} ms  ` +
      `p99 ${percentile(0.99)} ms  at most ${percentile(1)} ms (${worst?.fileName})`,
  );
}
process.exit(failed ? 1 : 0);
