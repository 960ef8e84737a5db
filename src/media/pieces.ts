/** The transfer broke off: silence, too long in total, or the connection was lost. */
export class SourceStopped extends Error {
  override readonly name = "SourceStopped";
}

const PIECE_BYTES = 256 * 1024;

interface Pieces {
  next(): Promise<Uint8Array | null>;
  close(): void;
}

/** Large reads into one buffer where the stream can do it: a GiB in default pieces costs a quarter of a million turns. */
export function openPieces(body: ReadableStream<Uint8Array>): Pieces {
  let byob: ReadableStreamBYOBReader | null = null;
  try {
    byob = body.getReader({ mode: "byob" });
  } catch {
    // A stream made in JavaScript hands out its own pieces.
  }
  if (!byob) {
    const reader = body.getReader();
    return {
      next: async () => (await orLost(reader.read())).value ?? null,
      close: () => letGo(reader),
    };
  }
  const reader = byob;
  let buffer = new ArrayBuffer(PIECE_BYTES);
  return {
    async next() {
      const { done, value } = await orLost(reader.read(new Uint8Array(buffer)));
      if (value) {
        buffer = value.buffer;
      }
      return done || !value ? null : value;
    },
    close: () => letGo(reader),
  };
}

async function orLost<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch {
    throw new SourceStopped("the connection was lost");
  }
}

function letGo(reader: { cancel(): Promise<void> }): void {
  reader.cancel().catch(() => undefined);
}
