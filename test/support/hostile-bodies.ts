const KIB = 1024;
const MIB = 1024 ** 2;

/** A response that no caller should read to its end, and how much of it was read. */
export interface HostileResponse {
  readonly response: Response;
  /** Bytes that left the source; for a packed body after unpacking. */
  readonly sentBytes: () => number;
  readonly wasCancelled: () => boolean;
}

const CHUNK = new TextEncoder().encode("a".repeat(64 * KIB));

/** Sends `totalBytes`, chunk by chunk, as somebody reads. */
function sendBytes(totalBytes: number, chunk = CHUNK): HostileResponse {
  let sent = 0;
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (sent >= totalBytes) {
          controller.close();
          return;
        }
        sent += chunk.byteLength;
        controller.enqueue(chunk.slice());
      },
      cancel() {
        isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { response: new Response(body, JSON_TYPE), sentBytes: () => sent, wasCancelled: () => isCancelled };
}

const JSON_TYPE = { headers: { "content-type": "application/json" } };

const LETTERS = new TextEncoder().encode("a".repeat(MIB));

/** 256 MiB in 256 KiB of gzip. */
function packLetters(): Promise<ArrayBuffer> {
  const { body } = sendBytes(256 * MIB, LETTERS).response;
  return new Response(body?.pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
}

/** Packed once, because that takes a second and goes on after its reader has left. */
let packedLetters: Promise<ArrayBuffer> | undefined;

/** The packed letters, unpacked as the runtime does it, while somebody reads. */
function sendPacked(): HostileResponse {
  let packedBytes = 0;
  const packed = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        packedLetters ??= packLetters();
        const letters = await packedLetters;
        if (packedBytes >= letters.byteLength) {
          controller.close();
          return;
        }
        const chunk = new Uint8Array(letters.slice(packedBytes, packedBytes + KIB));
        packedBytes += chunk.byteLength;
        controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );
  let sent = 0;
  const reader = packed.pipeThrough(new DecompressionStream("gzip")).getReader();
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) {
          controller.close();
          return;
        }
        sent += value.byteLength;
        controller.enqueue(value);
      },
      async cancel() {
        isCancelled = true;
        await reader.cancel();
      },
    },
    { highWaterMark: 0 },
  );
  return { response: new Response(body, JSON_TYPE), sentBytes: () => sent, wasCancelled: () => isCancelled };
}

/** A first chunk, and then nothing for ever. */
function sendSlowly(): HostileResponse {
  let sent = 0;
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (sent > 0) {
          await new Promise(() => undefined);
        }
        sent += 1;
        controller.enqueue(new TextEncoder().encode("{"));
      },
      cancel() {
        isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { response: new Response(body, JSON_TYPE), sentBytes: () => sent, wasCancelled: () => isCancelled };
}

export const HOSTILE_BODIES = {
  endless: () => sendBytes(Number.POSITIVE_INFINITY),
  huge: () => sendBytes(1536 * MIB),
  packed: sendPacked,
  slow: sendSlowly,
} as const satisfies Readonly<Record<string, () => HostileResponse>>;

export type HostileBody = keyof typeof HOSTILE_BODIES;
