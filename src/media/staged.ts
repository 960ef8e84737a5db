import type { Services } from "#context.ts";
import { openPieces } from "./pieces.ts";

/** Bytes on their way in: in memory when small, else as objects under `incoming/`, in order. */
export interface Staged {
  readonly sizeBytes: number;
  /** Null when the bytes lie in objects. */
  readonly held: Uint8Array<ArrayBuffer> | null;
  readonly objects: readonly { readonly key: string; readonly sizeBytes: number }[];
}

/** Everything under it that is older than a day is a leftover of a broken transfer. */
export const STAGING_PREFIX = "incoming/";

type Bucket = Pick<Services, "bucket">["bucket"];

class StagingLost extends Error {
  override readonly name = "StagingLost";
}

/** `length` bytes from `offset`; the caller stays within the size. */
export async function readStaged(bucket: Bucket, staged: Staged, offset: number, length: number): Promise<Uint8Array> {
  if (staged.held) {
    return staged.held.subarray(offset, offset + length);
  }
  const pieces: Uint8Array[] = [];
  let start = 0;
  for (const object of staged.objects) {
    const from = Math.max(offset, start);
    const to = Math.min(offset + length, start + object.sizeBytes);
    if (from < to) {
      const piece = await bucket.get(object.key, { range: { offset: from - start, length: to - from } });
      if (!piece) {
        throw new StagingLost(object.key);
      }
      pieces.push(new Uint8Array(await piece.arrayBuffer()));
    }
    start += object.sizeBytes;
  }
  const [only] = pieces;
  return only && pieces.length === 1 ? only : joined(pieces, length);
}

/** Only what lies across two objects is copied. */
function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** Sends everything, in order, through one stream; the caller closes it. */
async function pour(bucket: Bucket, staged: Staged, into: WritableStream<Uint8Array>): Promise<void> {
  for (const { key } of staged.objects) {
    const object = await bucket.get(key);
    if (!object) {
      throw new StagingLost(key);
    }
    await object.body.pipeTo(into, { preventClose: true });
  }
}

/** The hash of bytes that arrived in several requests; one pass, nothing held. */
export async function hashStaged(bucket: Bucket, staged: Staged): Promise<ArrayBuffer> {
  if (staged.held) {
    return crypto.subtle.digest("SHA-256", staged.held);
  }
  const digest = new crypto.DigestStream("SHA-256");
  // Nobody may be left to await it when reading fails.
  digest.digest.catch(() => undefined);
  const writer = digest.getWriter();
  for (const { key } of staged.objects) {
    const object = await bucket.get(key);
    if (!object) {
      throw new StagingLost(key);
    }
    // By hand and not by `pipeTo`, which leaves a hundred MiB of small buffers behind for a GiB of file.
    const pieces = openPieces(object.body);
    for (let piece = await pieces.next(); piece; piece = await pieces.next()) {
      await writer.write(piece);
    }
  }
  await writer.close();
  return digest.digest;
}

/** Copies the bytes to their final key without holding them; R2 checks the hash on its side. */
export async function promoteStaged(
  bucket: Bucket,
  staged: Staged,
  to: { readonly key: string; readonly sha256: string; readonly contentType: string },
): Promise<void> {
  const options = { httpMetadata: { contentType: to.contentType }, sha256: to.sha256 };
  if (staged.held) {
    await bucket.put(to.key, staged.held, options);
    return;
  }
  const { readable, writable } = new FixedLengthStream(staged.sizeBytes);
  const poured = pour(bucket, staged, writable).then(
    () => writable.close(),
    async (error: unknown) => {
      await writable.abort(error);
      throw error;
    },
  );
  await Promise.all([bucket.put(to.key, readable, options), poured]);
}

export async function discardStaged(bucket: Bucket, staged: Pick<Staged, "objects">): Promise<void> {
  if (staged.objects.length > 0) {
    await bucket.delete(staged.objects.map(({ key }) => key));
  }
}
