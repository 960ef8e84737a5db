import * as fc from "fast-check";
import { describe, test } from "vitest";
import { nonPublicRange } from "#core/public-address/ip-ranges.ts";
import { checkUrl } from "#core/public-address/check-url.ts";
import { ByteReader } from "#media/formats/byte-reader.ts";
import { safeFilename } from "#media/filename.ts";
import { inspectHeif } from "#media/formats/heif.ts";
import { inspectFile } from "#media/formats/inspect-file.ts";
import { CONTENT_TYPES } from "#media/content-types.ts";
import type { CheckResult, ContentType } from "#media/types.ts";
import { mutations } from "./mutations.ts";
import { EXPENSIVE_FILES } from "./expensive-files.ts";
import { concatBytes, sample, SAMPLE_NAMES } from "./samples.ts";

const MAX_READS = 256;
const MAX_READ_BYTES = 40 * 1024 ** 2;
const MAX_STEPS = 200_000;

/** Counts the weighted steps that the parsers take. */
class CountingReader extends ByteReader {
  stepsTaken = 0;

  override step(weight = 32): void {
    super.step(weight);
    this.stepsTaken += weight;
  }
}

/** Inspects a file and counts what that cost. */
async function measureInspection<T>(bytes: Uint8Array<ArrayBuffer>, inspect: (reader: ByteReader) => Promise<T>) {
  let reads = 0;
  let readBytes = 0;
  const reader = new CountingReader(bytes.length, async (offset, length) => {
    reads += 1;
    readBytes += length;
    return bytes.slice(offset, offset + length);
  });
  const result = await inspect(reader);
  return { result, reads, readBytes, steps: reader.stepsTaken };
}

/** Inspects a file, asserts that it is not expensive, and that a problem has a code and a message. */
async function inspectWithinBounds<T>(
  bytes: Uint8Array<ArrayBuffer>,
  inspect: (reader: ByteReader) => Promise<CheckResult<T>>,
): Promise<CheckResult<T>> {
  const { result, reads, readBytes, steps } = await measureInspection(bytes, inspect);
  if (reads > MAX_READS || readBytes > MAX_READ_BYTES || steps > MAX_STEPS) {
    throw new Error(`${reads} reads of ${readBytes} bytes, ${steps} steps`);
  }
  if (!result.ok && (!result.problem.code.startsWith("media_") || result.problem.message.length < 10)) {
    throw new Error(`a problem without a code or message: ${JSON.stringify(result)}`);
  }
  return result;
}

/** Asserts what every inspection must fulfil, whatever the bytes. */
async function assertInspectionInvariants(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const result = await inspectWithinBounds(bytes, inspectFile);
  if (!result.ok) {
    return;
  }
  const { width, height, durationMs, contentType, type, facts } = result.value;
  const isPositiveInteger = (value: number | null) => value !== null && Number.isSafeInteger(value) && value > 0;
  const isValid =
    isPositiveInteger(width) &&
    isPositiveInteger(height) &&
    (durationMs === null || (Number.isSafeInteger(durationMs) && durationMs >= 0)) &&
    CONTENT_TYPES[contentType].type === type;
  // The facts are stored as JSON and must not change: no NaN, no infinity, no lone surrogate.
  if (
    !isValid ||
    JSON.stringify(JSON.parse(JSON.stringify(facts))) !== JSON.stringify(facts) ||
    /null/.test(JSON.stringify({ ...facts, audioCodec: 0 }))
  ) {
    throw new Error(`not a valid inspection: ${JSON.stringify(result)}`);
  }
}

const mutation = mutations(SAMPLE_NAMES.map(sample));

describe("every file gets a result, whatever its bytes", { timeout: 120_000 }, () => {
  test.for(SAMPLE_NAMES.map((name) => [name] as const))("%s, mutated", async ([name]) => {
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 6 }), async (mutations) => {
        await assertInspectionInvariants(mutations.reduce((bytes, mutate) => mutate(bytes), sample(name)));
      }),
      { numRuns: 400 },
    );
  });

  test("an image of which a JPEG is made, mutated", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 6 }), async (mutations) => {
        const bytes = mutations.reduce((changed, mutate) => mutate(changed), sample("place.avif"));
        await inspectWithinBounds(bytes, inspectHeif);
      }),
      { numRuns: 400 },
    );
  });

  test("random bytes after every kind of header", async () => {
    const header = fc.constantFrom(...SAMPLE_NAMES).map((name) => sample(name).slice(0, 64));
    await fc.assert(
      fc.asyncProperty(header, fc.nat(64), fc.uint8Array({ maxLength: 4000 }), async (head, keptBytes, noise) => {
        await assertInspectionInvariants(concatBytes(head.subarray(0, keptBytes), noise));
      }),
      { numRuns: 2000 },
    );
  });

  test("random bytes alone", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (noise) => {
        await assertInspectionInvariants(concatBytes(noise));
      }),
      { numRuns: 2000 },
    );
  });
});

describe("files made to be expensive are cheap to inspect", () => {
  test.for(EXPENSIVE_FILES.map((file) => [file.format, file.name, file] as const))(
    "%s: %s",
    { timeout: 20_000 },
    async ([, , { make }], { expect }) => {
      const { result, reads, readBytes, steps } = await measureInspection(make(sample), inspectFile);
      expect(result.ok || result.problem.message).toBeTruthy();
      expect(reads).toBeLessThanOrEqual(MAX_READS);
      expect(readBytes).toBeLessThanOrEqual(MAX_READ_BYTES);
      expect(steps).toBeLessThanOrEqual(MAX_STEPS);
    },
  );
});

describe("file names and URLs", () => {
  test("any file name becomes a safe name with an extension of its type", () => {
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

  test("checking any text as a URL never throws, and only public HTTPS URLs pass", () => {
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
          const checked = checkUrl(text, null);
          if (checked.ok) {
            const { protocol, port, username, hostname } = checked.value;
            if (
              protocol !== "https:" ||
              port !== "" ||
              username !== "" ||
              nonPublicRange(hostname.replaceAll(/[[\]]/g, "")) !== null
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

  test("no spelling of a private IPv4 address passes", () => {
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
          return spellings.every((host) => !checkUrl(`https://${host}/a.jpg`, null).ok);
        },
      ),
      { numRuns: 500 },
    );
  });
});
