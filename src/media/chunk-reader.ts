/** Thrown if a transfer timed out or lost its connection. */
export class TransferInterrupted extends Error {
  override readonly name = "SourceStopped";
}

const CHUNK_BYTES = 256 * 1024;

interface ChunkReader {
  next(): Promise<Uint8Array | null>;
  close(): void;
}

/**
 * Reads a stream in large chunks into one buffer, if the stream supports it: 1 GiB in default chunks takes 250,000
 * reads.
 */
export function openChunkReader(body: ReadableStream<Uint8Array>): ChunkReader {
  let byob: ReadableStreamBYOBReader | null = null;
  try {
    byob = body.getReader({ mode: "byob" });
  } catch {
    // A stream made in JavaScript does not support reading into a buffer (BYOB), so it is read in its own chunks.
  }
  if (!byob) {
    const reader = body.getReader();
    return {
      next: async () => (await orInterrupted(reader.read())).value ?? null,
      close: () => cancelQuietly(reader),
    };
  }
  const reader = byob;
  let buffer = new ArrayBuffer(CHUNK_BYTES);
  return {
    async next() {
      const { done, value } = await orInterrupted(reader.read(new Uint8Array(buffer)));
      if (value) {
        buffer = value.buffer;
      }
      return done || !value ? null : value;
    },
    close: () => cancelQuietly(reader),
  };
}

async function orInterrupted<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch {
    throw new TransferInterrupted("the connection was lost");
  }
}

function cancelQuietly(reader: { cancel(): Promise<void> }): void {
  reader.cancel().catch(() => undefined);
}
