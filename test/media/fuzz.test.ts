import * as fc from "fast-check";
import { describe, test } from "vitest";
import { shutAddress } from "#media/addresses.ts";
import { checkAddress } from "#media/address-gate.ts";
import { ByteReader } from "#media/formats/byte-reader.ts";
import { safeFilename } from "#media/filename.ts";
import { inspect } from "#media/inspect.ts";
import { CONTENT_TYPES } from "#media/content-types.ts";
import type { ContentType } from "#media/types.ts";
import { joined, sample, SAMPLE_NAMES } from "./samples.ts";

/** Looks into a file and notes what that cost. */
async function measured(bytes: Uint8Array<ArrayBuffer>) {
  let reads = 0;
  let readBytes = 0;
  const verdict = await inspect(
    new ByteReader(bytes.length, async (offset, length) => {
      reads += 1;
      readBytes += length;
      return bytes.slice(offset, offset + length);
    }),
  );
  return { verdict, reads, readBytes };
}

/** What every verdict keeps, whatever the bytes. */
async function holds(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const { verdict, reads, readBytes } = await measured(bytes);
  if (reads > 256 || readBytes > 40 * 1024 ** 2) {
    throw new Error(`${reads} reads of ${readBytes} bytes`);
  }
  if (!verdict.ok) {
    if (!/^media_[a-z]+$/.test(verdict.problem.code) || verdict.problem.message.length < 10) {
      throw new Error(`a refusal without a reason: ${JSON.stringify(verdict)}`);
    }
    return;
  }
  const { width, height, durationMs, contentType, type, facts } = verdict.value;
  const whole = (value: number | null) => value !== null && Number.isSafeInteger(value) && value > 0;
  const sane =
    whole(width) &&
    whole(height) &&
    (durationMs === null || (Number.isSafeInteger(durationMs) && durationMs >= 0)) &&
    CONTENT_TYPES[contentType].type === type;
  // What is stored must come back as it was: no NaN, no infinity, no lone surrogate.
  if (
    !sane ||
    JSON.stringify(JSON.parse(JSON.stringify(facts))) !== JSON.stringify(facts) ||
    /null/.test(JSON.stringify({ ...facts, audioCodec: 0 }))
  ) {
    throw new Error(`not a sane verdict: ${JSON.stringify(verdict)}`);
  }
}

type Mutation = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;

const position = fc.double({ min: 0, max: 1, noNaN: true });
const at = (bytes: Uint8Array, where: number) => Math.floor(where * Math.max(0, bytes.length - 1));

/** Most of a file is picture data that nobody looks at: half of all hits go into its first hundred bytes. */
const spot = fc.oneof(
  position,
  position.map((where) => where / 150),
);

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ where: spot, value: fc.nat(255) }).map(({ where, value }): Mutation => (bytes) => {
    bytes[at(bytes, where)] = value;
    return bytes;
  }),
  fc.record({ where: spot, bit: fc.nat(7) }).map(({ where, bit }): Mutation => (bytes) => {
    bytes[at(bytes, where)]! ^= 1 << bit;
    return bytes;
  }),
  fc
    .record({
      where: spot,
      value: fc.constantFrom(0, 1, 2, 7, 8, 15, 16, 0x7fff_ffff, 0x8000_0000, 0xffff_fff0, 0xffff_ffff),
    })
    .map(({ where, value }): Mutation => (bytes) => {
      if (bytes.length >= 4) {
        new DataView(bytes.buffer).setUint32(Math.min(at(bytes, where), bytes.length - 4), value);
      }
      return bytes;
    }),
  position.map(
    (where): Mutation =>
      (bytes) =>
        bytes.slice(0, at(bytes, where)),
  ),
  fc.record({ where: spot, length: fc.nat(64) }).map(
    ({ where, length }): Mutation =>
      (bytes) =>
        joined(bytes.subarray(0, at(bytes, where)), bytes.subarray(at(bytes, where) + length)),
  ),
  fc.record({ where: spot, more: fc.uint8Array({ maxLength: 64 }) }).map(
    ({ where, more }): Mutation =>
      (bytes) =>
        joined(bytes.subarray(0, at(bytes, where)), more, bytes.subarray(at(bytes, where))),
  ),
  fc.record({ from: spot, to: spot, length: fc.nat(2000) }).map(({ from, to, length }): Mutation => (bytes) => {
    bytes.copyWithin(at(bytes, to), at(bytes, from), at(bytes, from) + length);
    return bytes;
  }),
  fc.constantFrom(...SAMPLE_NAMES).map(
    (name): Mutation =>
      (bytes) =>
        joined(bytes, sample(name)),
  ),
);

describe("whatever the bytes are, there is a verdict", { timeout: 120_000 }, () => {
  test.for(SAMPLE_NAMES.map((name) => [name] as const))("%s, bent", async ([name]) => {
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 6 }), async (mutations) => {
        await holds(mutations.reduce((bytes, mutate) => mutate(bytes), sample(name)));
      }),
      { numRuns: 400 },
    );
  });

  test("noise behind every beginning", async () => {
    const beginning = fc.constantFrom(...SAMPLE_NAMES).map((name) => sample(name).slice(0, 64));
    await fc.assert(
      fc.asyncProperty(beginning, fc.nat(64), fc.uint8Array({ maxLength: 4000 }), async (head, keep, noise) => {
        await holds(joined(head.subarray(0, keep), noise));
      }),
      { numRuns: 2000 },
    );
  });

  test("noise alone", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (noise) => {
        await holds(joined(noise));
      }),
      { numRuns: 2000 },
    );
  });
});

describe("files made to be expensive are cheap to refuse", () => {
  const MIB = 1024 ** 2;
  const repeated = (unit: readonly number[], times: number) => {
    const bytes = new Uint8Array(unit.length * times);
    for (let index = 0; index < times; index += 1) {
      bytes.set(unit, index * unit.length);
    }
    return bytes;
  };
  const start = sample("moov-first.mp4").subarray(0, 32);

  test.for<[string, () => Uint8Array<ArrayBuffer>]>([
    ["a JPEG of fill bytes", () => joined(Uint8Array.of(0xff, 0xd8, 0xff), new Uint8Array(20 * MIB).fill(0xff))],
    ["a JPEG of empty segments", () => joined(Uint8Array.of(0xff, 0xd8), repeated([0xff, 0xe0, 0, 2], 2 * MIB))],
    ["a JPEG without an end", () => joined(sample("photo.jpg").slice(0, 900), new Uint8Array(20 * MIB).fill(0xd9))],
    [
      "a PNG of empty chunks",
      () => joined(sample("photo.png").slice(0, 33), repeated([0, 0, 0, 0, 0x74, 0x45, 0x58, 0x74, 0, 0, 0, 0], MIB)),
    ],
    ["a GIF of empty blocks", () => joined(sample("still.gif").slice(0, 781), repeated([0x21, 1, 0], 5 * MIB))],
    [
      "a GIF of one-byte blocks",
      () => joined(sample("still.gif").slice(0, 781), Uint8Array.of(0x21, 1), repeated([1, 9], 8 * MIB)),
    ],
    ["an MP4 of empty boxes", () => joined(start, repeated([0, 0, 0, 8, 0x66, 0x72, 0x65, 0x65], MIB))],
    ["an MP4 of boxes of no size", () => joined(start, repeated([0, 0, 0, 0, 0x66, 0x72, 0x65, 0x65], MIB))],
    [
      "a WebM of empty elements",
      () =>
        joined(
          sample("vp9.webm").slice(0, 36),
          Uint8Array.of(0x18, 0x53, 0x80, 0x67, 0xff),
          repeated([0xec, 0x80], 5 * MIB),
        ),
    ],
    [
      "an MP4 whose parts are far apart",
      () =>
        joined(
          start,
          ...Array.from({ length: 300 }, () => joined(Uint8Array.of(0, 1, 0, 16), "free", new Uint8Array(65_544))),
        ),
    ],
  ])("%s", { timeout: 20_000 }, async ([, make], { expect }) => {
    const { verdict, reads, readBytes } = await measured(make());
    expect(verdict.ok).toBe(false);
    expect(reads).toBeLessThanOrEqual(256);
    expect(readBytes).toBeLessThanOrEqual(40 * MIB);
  });
});

describe("names and addresses", () => {
  test("any file name becomes a safe one with an extension of its type", () => {
    const types = Object.keys(CONTENT_TYPES) as ContentType[];
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), fc.constantFrom(...types), (name, type) => {
        const safe = safeFilename(name, type);
        const extension = safe.split(".").at(-1) ?? "";
        return (
          /^[A-Za-z0-9][A-Za-z0-9_-]{0,79}\.[a-z0-9]{3,4}$/.test(safe) &&
          (CONTENT_TYPES[type].extensions as readonly string[]).includes(extension)
        );
      }),
      { numRuns: 400 },
    );
  });

  test("any text is judged as an address without an exception, and what passes is public HTTPS", () => {
    const hosts = fc.oneof(
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      fc.ipV4(),
      fc.ipV4Extended(),
      fc.ipV6(),
      fc.string({ unit: "binary" }),
    );
    fc.assert(
      fc.property(fc.constantFrom("https://", "http://", "", "//"), hosts, (scheme, host) => {
        for (const text of [scheme + host, `${scheme}[${host}]/a.jpg`, host]) {
          const checked = checkAddress(text, null);
          if (checked.ok) {
            const { protocol, port, username, hostname } = checked.value;
            if (
              protocol !== "https:" ||
              port !== "" ||
              username !== "" ||
              shutAddress(hostname.replaceAll(/[[\]]/g, "")) !== null
            ) {
              return false;
            }
          }
        }
        return true;
      }),
      { numRuns: 3000 },
    );
  });

  test("no IPv4 address passes in any spelling when its plain form does not", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("10.0.0.0", "127.0.0.0", "169.254.0.0", "192.168.0.0", "100.64.0.0", "224.0.0.0"),
        fc.nat(0xffff),
        (network, low) => {
          const [a = 0, b = 0] = network.split(".").map(Number);
          const [c, d] = [low >> 8, low & 255];
          const value = ((a * 256 + b) * 256 + c) * 256 + d;
          const hex = (part: number) => `0x${part.toString(16)}`;
          const octal = (part: number) => `0${part.toString(8)}`;
          const spellings = [
            `${a}.${b}.${c}.${d}`,
            `${value}`,
            hex(value),
            octal(value),
            `${hex(a)}.${octal(b)}.${c}.${hex(d)}`,
            `${a}.${(b * 256 + c) * 256 + d}`,
            `${a}.${b}.${low}`,
            `[::ffff:${a}.${b}.${c}.${d}]`,
            `[::ffff:${(a * 256 + b).toString(16)}:${low.toString(16)}]`,
            `[64:ff9b::${(a * 256 + b).toString(16)}:${low.toString(16)}]`,
            `[2002:${(a * 256 + b).toString(16)}:${low.toString(16)}::]`,
            `${a}.${b}.${c}.${d}.`,
          ];
          return spellings.every((host) => !checkAddress(`https://${host}/a.jpg`, null).ok);
        },
      ),
      { numRuns: 500 },
    );
  });
});
