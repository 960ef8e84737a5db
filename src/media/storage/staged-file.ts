import { concatBytes } from "#core/bytes.ts";
import type { Services } from "#context.ts";
import { openChunkReader } from "#media/chunk-reader.ts";

/** A received file before it is saved. A small file is in memory, a larger one in objects under `incoming/`, in order. */
export interface StagedFile {
  readonly sizeBytes: number;
  /** Null when the bytes are in objects. */
  readonly inMemory: Uint8Array<ArrayBuffer> | null;
  readonly objects: readonly { readonly key: string; readonly sizeBytes: number }[];
}

/** An object under this prefix that is older than a day was left by an interrupted transfer. */
export const STAGING_PREFIX = "incoming/";

type Bucket = Pick<Services, "bucket">["bucket"];

class StagedObjectMissing extends Error {
  override readonly name = "StagedObjectMissing";
}

/** Reads `length` bytes from `offset`; the caller stays within the size. */
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
  // Copies only when the range spans two objects.
  return firstPart && parts.length === 1 ? firstPart : concatBytes(parts);
}

/** Writes all objects in order into one stream; the caller closes it. */
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
  // A reader that stops early ends the writing; a reader that continues sees the error.
  pipeObjects(bucket, staged, writable)
    .then(() => writable.close())
    .catch((error: unknown) => writable.abort(error))
    .catch(() => undefined);
  return readable;
}

/** The SHA-256 of a file that arrived in several requests. Reads the file once, without loading all of it into memory. */
export async function hashStagedFile(bucket: Bucket, staged: StagedFile): Promise<ArrayBuffer> {
  if (staged.inMemory) {
    return crypto.subtle.digest("SHA-256", staged.inMemory);
  }
  const digest = new crypto.DigestStream("SHA-256");
  // When reading fails, nothing awaits the digest; without this its rejection would be unhandled.
  digest.digest.catch(() => undefined);
  const writer = digest.getWriter();
  for (const { key } of staged.objects) {
    const object = await bucket.get(key);
    if (!object) {
      throw new StagedObjectMissing(key);
    }
    // `pipeTo` would leave a hundred MiB of small buffers for a file of 1 GiB.
    const reader = openChunkReader(object.body);
    for (let chunk = await reader.next(); chunk; chunk = await reader.next()) {
      await writer.write(chunk);
    }
  }
  await writer.close();
  return digest.digest;
}

/** Copies the bytes to their final key without loading all of them into memory; R2 verifies the hash. */
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
