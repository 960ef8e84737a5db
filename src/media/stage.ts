import type { Services } from "#context.ts";
import { toHex } from "#core/encoding.ts";
import { CHUNK_BYTES } from "./limits.ts";
import { discardStaged, type Staged, STAGING_PREFIX } from "./staged.ts";

/** What arrives, piece by piece; a piece is valid until the next one is asked for. */
export interface Incoming {
  readonly statedBytes: number | null;
  read(): Promise<Uint8Array | null>;
}

/** Looks at what has arrived; the word it returns ends the transfer. */
export interface Watch<P> {
  /** Called once with the first bytes (all of them when the file is shorter). */
  first(head: Uint8Array): P | null;
  /** Called with the total so far after every piece. */
  grown(bytes: number): P | null;
}

export type StageEnd<P> =
  | { readonly ok: true; readonly staged: Staged; readonly sha256: string }
  | { readonly ok: false; readonly problem: P | "too_short" | "too_long" };

const HEAD_BYTES = 4096;

interface StageOptions {
  /** Under `STAGING_PREFIX`. */
  readonly name: string;
  /** Files up to this size stay in memory. */
  readonly holdBytes: number;
}

/** Bytes of unknown length, written as one object whenever a chunk is full. */
class Chunks {
  readonly objects: { key: string; sizeBytes: number }[] = [];
  private readonly bucket: R2Bucket;
  private readonly name: string;
  private buffer: Uint8Array<ArrayBuffer>;
  private filled = 0;

  constructor(bucket: R2Bucket, name: string, sizeBytes: number) {
    this.bucket = bucket;
    this.name = name;
    this.buffer = new Uint8Array(sizeBytes);
  }

  async add(piece: Uint8Array): Promise<void> {
    let rest = piece;
    while (rest.length > 0) {
      if (this.filled === this.buffer.length) {
        await this.flush();
      }
      const part = rest.subarray(0, this.buffer.length - this.filled);
      this.buffer.set(part, this.filled);
      this.filled += part.length;
      rest = rest.subarray(part.length);
    }
  }

  async flush(): Promise<void> {
    if (this.filled === 0) {
      return;
    }
    const key = `${STAGING_PREFIX}${this.name}/${this.objects.length}`;
    // Named before it is written, so that a failure half-way is cleaned up too.
    this.objects.push({ key, sizeBytes: this.filled });
    await this.bucket.put(key, this.buffer.subarray(0, this.filled));
    this.filled = 0;
  }

  /** What is still in memory, when nothing was written yet. */
  held(): Uint8Array<ArrayBuffer> | null {
    return this.objects.length === 0 ? this.buffer.slice(0, this.filled) : null;
  }
}

/** One object of known length, written while it arrives. */
class Whole {
  readonly objects: { key: string; sizeBytes: number }[];
  private readonly writer: WritableStreamDefaultWriter<Uint8Array>;
  private readonly written: Promise<unknown>;

  constructor(bucket: R2Bucket, name: string, sizeBytes: number) {
    const key = `${STAGING_PREFIX}${name}/0`;
    const { readable, writable } = new FixedLengthStream(sizeBytes);
    this.objects = [{ key, sizeBytes }];
    this.writer = writable.getWriter();
    this.written = bucket.put(key, readable);
    this.written.catch((error: unknown) => this.writer.abort(error).catch(() => undefined));
  }

  async add(piece: Uint8Array): Promise<void> {
    await this.writer.write(piece);
  }

  async flush(): Promise<void> {
    await this.writer.close();
    await this.written;
  }

  async giveUp(): Promise<void> {
    await this.writer.abort(new Error("transfer given up")).catch(() => undefined);
    await this.written.catch(() => undefined);
  }

  held(): null {
    return null;
  }
}

function openSink(bucket: R2Bucket, incoming: Incoming, options: StageOptions): Chunks | Whole {
  const stated = incoming.statedBytes;
  if (stated !== null && stated > options.holdBytes) {
    return new Whole(bucket, options.name, stated);
  }
  return new Chunks(bucket, options.name, stated === null ? CHUNK_BYTES : Math.max(1, stated));
}

/**
 * Brings bytes in while hashing them. Memory stays at one piece (known length) or one chunk (unknown length) however large
 * the file is. Each piece is written and hashed before the next is read, so a slow store slows the source down.
 */
export async function stage<P>(
  { bucket }: Pick<Services, "bucket">,
  incoming: Incoming,
  watch: Watch<P>,
  options: StageOptions,
): Promise<StageEnd<P>> {
  const digest = new crypto.DigestStream("SHA-256");
  digest.digest.catch(() => undefined);
  const hasher = digest.getWriter();
  const head = new Uint8Array(HEAD_BYTES);
  let headBytes = 0;
  let looked = false;
  let total = 0;
  let sink: Chunks | Whole | null = null;
  let end: StageEnd<P> | null = null;

  const look = () => {
    looked = true;
    return watch.first(head.subarray(0, headBytes));
  };
  const judge = (): P | "too_long" | null => {
    if (incoming.statedBytes !== null && total > incoming.statedBytes) {
      return "too_long";
    }
    return (looked || headBytes < HEAD_BYTES ? null : look()) ?? watch.grown(total);
  };

  try {
    for (let piece = await incoming.read(); piece; piece = await incoming.read()) {
      total += piece.length;
      if (headBytes < HEAD_BYTES) {
        const part = piece.subarray(0, HEAD_BYTES - headBytes);
        head.set(part, headBytes);
        headBytes += part.length;
      }
      const problem = judge();
      if (problem !== null) {
        end = { ok: false, problem };
        return end;
      }
      sink ??= openSink(bucket, incoming, options);
      await Promise.all([hasher.write(piece), sink.add(piece)]);
    }
    const problem = looked ? null : look();
    if (problem !== null || (incoming.statedBytes !== null && total < incoming.statedBytes)) {
      end = { ok: false, problem: problem ?? "too_short" };
      return end;
    }
    sink ??= openSink(bucket, incoming, options);
    const held = sink.held();
    const keep = held !== null && held.length <= options.holdBytes ? held : null;
    await Promise.all([hasher.close(), keep ? null : sink.flush()]);
    const staged = { sizeBytes: total, held: keep, objects: keep ? [] : sink.objects };
    end = { ok: true, staged, sha256: toHex(new Uint8Array(await digest.digest)) };
    return end;
  } finally {
    if (!end?.ok) {
      await hasher.abort(new Error("transfer given up")).catch(() => undefined);
      await (sink instanceof Whole ? sink.giveUp() : null);
      await discardStaged(bucket, { objects: sink?.objects ?? [] });
    }
  }
}
