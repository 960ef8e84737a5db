import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";

const SAMPLE = join(import.meta.dirname, "..", "..", "src", "sandbox", "samples", "portrait.mp4.bin");
const BLOCK_BYTES = 4 * 1024 ** 2;

/** The ftyp and moov boxes of a real one-second video. */
async function videoHeader(): Promise<Buffer> {
  const sample = await readFile(SAMPLE);
  const moov = sample.indexOf("moov") - 4;
  return sample.subarray(0, moov + sample.readUInt32BE(moov));
}

/**
 * Writes an MP4 of exactly `sizeBytes` with a valid index and random media data; two seeds give two different files. It is
 * never decoded: the measured code only transfers, hashes and inspects it.
 */
export async function writeVideo(path: string, sizeBytes: number, seed: number): Promise<void> {
  const head = await videoHeader();
  const box = Buffer.alloc(16);
  box.writeUInt32BE(1, 0);
  box.write("mdat", 4, "latin1");
  box.writeBigUInt64BE(BigInt(sizeBytes - head.length), 8);
  const block = Buffer.alloc(BLOCK_BYTES);
  let state = seed >>> 0 || 1;
  for (let offset = 0; offset < block.length; offset += 4) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    block.writeUInt32LE(state >>> 0, offset);
  }
  const file = await open(path, "w");
  try {
    await file.write(head);
    await file.write(box);
    let written = head.length + box.length;
    for (let count = 0; written < sizeBytes; count += 1) {
      block.writeUInt32LE(count, 0);
      const part = block.subarray(0, Math.min(block.length, sizeBytes - written));
      await file.write(part);
      written += part.length;
    }
  } finally {
    await file.close();
  }
}

export async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: BLOCK_BYTES })) {
    hash.update(chunk as Buffer);
  }
  return hash.digest("hex");
}
