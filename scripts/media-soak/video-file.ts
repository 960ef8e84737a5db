import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";

const SAMPLE = join(import.meta.dirname, "..", "..", "src", "sandbox", "samples", "portrait.mp4.bin");
const BLOCK_BYTES = 4 * 1024 ** 2;

/** ftyp and moov of a true one-second film, in front of as much picture data as is wanted. */
async function videoHeader(): Promise<Buffer> {
  const film = await readFile(SAMPLE);
  const moov = film.indexOf("moov") - 4;
  return film.subarray(0, moov + film.readUInt32BE(moov));
}

/**
 * Writes an MP4 of exactly `sizeBytes` whose index is true and whose picture data is noise; `seed` makes two of them
 * differ. Nobody decodes it: it is carried, hashed and looked into, which is all that is to be measured.
 */
export async function writeVideo(path: string, sizeBytes: number, seed: number): Promise<void> {
  const head = await videoHeader();
  const box = Buffer.alloc(16);
  box.writeUInt32BE(1, 0);
  box.write("mdat", 4, "latin1");
  box.writeBigUInt64BE(BigInt(sizeBytes - head.length), 8);
  const block = Buffer.alloc(BLOCK_BYTES);
  let state = seed >>> 0 || 1;
  for (let at = 0; at < block.length; at += 4) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    block.writeUInt32LE(state >>> 0, at);
  }
  const file = await open(path, "w");
  try {
    await file.write(head);
    await file.write(box);
    let written = head.length + box.length;
    for (let count = 0; written < sizeBytes; count += 1) {
      block.writeUInt32LE(count, 0);
      const piece = block.subarray(0, Math.min(block.length, sizeBytes - written));
      await file.write(piece);
      written += piece.length;
    }
  } finally {
    await file.close();
  }
}

export async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(path, { highWaterMark: BLOCK_BYTES })) {
    hash.update(piece as Buffer);
  }
  return hash.digest("hex");
}
