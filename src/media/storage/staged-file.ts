import { concatBytes } from "#core/bytes.ts";
import type { Services } from "#context.ts";
import { openChunkReader } from "#media/chunk-reader.ts";

/**
 * A received file that is not saved yet. A small file is in memory; a larger one is in R2 objects under `incoming/`, in
 * order.
 */
export interface StagedFile {
  readonly sizeBytes: number;
  /** The bytes of a small file. Null if they are in R2 objects. */
  readonly inMemory: Uint8Array<ArrayBuffer> | null;
  readonly objects: readonly { readonly key: string; readonly sizeBytes: number }[];
}

/** The prefix of temporary objects. An object that is older than a day was left by an interrupted transfer. */
export const STAGING_PREFIX = "incoming/";

type Bucket = Pick<Services, "bucket">["bucket"];

class StagedObjectMissing extends Error {
  override readonly name = "StagedObjectMissing";
}

/** Reads `length` bytes from `offset`. The caller must stay within the size of the file. */
export async function readStagedFile(
  bucket: Bucket,
  staged: StagedFile,
  offset: number,
  length: number,
): Promise<Uint8Array> {
  if (staged.inMemory) {
    return staged.inMemory.subarray(offset, offset + length);
  }
  const parts: Uint8Array[] = [];
  let start = 0;
  for (const object of staged.objects) {
    const from = Math.max(offset, start);
    const to = Math.min(offset + length, start + object.sizeBytes);
    if (from < to) {
      const part = await bucket.get(object.key, { range: { offset: from - start, length: to - from } });
      if (!part) {
        throw new StagedObjectMissing(object.key);
      }
      parts.push(new Uint8Array(await part.arrayBuffer()));
    }
    start += object.sizeBytes;
  }
  const [firstPart] = parts;
  // Copy bytes only if the range spans two objects.
  return firstPart && parts.length === 1 ? firstPart : concatBytes(parts);
}

/** Writes all objects of a file in order into one stream. The caller must close the stream. */
async function pipeObjects(bucket: Bucket, staged: StagedFile, into: WritableStream<Uint8Array>): Promise<void> {
  for (const { key } of staged.objects) {
    const object = await bucket.get(key);
    if (!object) {
      throw new StagedObjectMissing(key);
    }
    await object.body.pipeTo(into, { preventClose: true });
  }
}

export function openStagedFile(bucket: Bucket, staged: StagedFile): ReadableStream<Uint8Array> {
  if (staged.inMemory) {
    return new Blob([staged.inMemory]).stream();
  }
  const { readable, writable } = new FixedLengthStream(staged.sizeBytes);
  // A reader that stops early ends the writing. A reader that continues gets the error.
  pipeObjects(bucket, staged, writable)
    .then(() => writable.close())
    .catch((error: unknown) => writable.abort(error))
    .catch(() => undefined);
  return readable;
}

/**
 * Computes the SHA-256 of a file that arrived in several requests. It reads the file once, and never holds all of it in
 * memory.
 */
export async function hashStagedFile(bucket: Bucket, staged: StagedFile): Promise<ArrayBuffer> {
  if (staged.inMemory) {
    return crypto.subtle.digest("SHA-256", staged.inMemory);
  }
  const digest = new crypto.DigestStream("SHA-256");
  // If reading fails, nobody awaits the digest. Without this line its rejection would be unhandled.
  digest.digest.catch(() => undefined);
  const writer = digest.getWriter();
  for (const { key } of staged.objects) {
    const object = await bucket.get(key);
    if (!object) {
      throw new StagedObjectMissing(key);
    }
    // `pipeTo` would leave a hundred MiB of small buffers for a file of 1 GiB, so read into one buffer.
    const reader = openChunkReader(object.body);
    for (let chunk = await reader.next(); chunk; chunk = await reader.next()) {
      await writer.write(chunk);
    }
  }
  await writer.close();
  return digest.digest;
}

/**
 * Copies a file from temporary storage to its final R2 key, without holding all of it in memory. R2 verifies the hash.
 */
export async function copyStagedFile(
  bucket: Bucket,
  staged: StagedFile,
  to: { readonly key: string; readonly sha256: string; readonly contentType: string },
): Promise<void> {
  const options = { httpMetadata: { contentType: to.contentType }, sha256: to.sha256 };
  if (staged.inMemory) {
    await bucket.put(to.key, staged.inMemory, options);
    return;
  }
  const { readable, writable } = new FixedLengthStream(staged.sizeBytes);
  const piped = pipeObjects(bucket, staged, writable).then(
    () => writable.close(),
    async (error: unknown) => {
      await writable.abort(error);
      throw error;
    },
  );
  await Promise.all([bucket.put(to.key, readable, options), piped]);
}

export async function deleteStagedFile(bucket: Bucket, staged: Pick<StagedFile, "objects">): Promise<void> {
  if (staged.objects.length > 0) {
    await bucket.delete(staged.objects.map(({ key }) => key));
  }
}
