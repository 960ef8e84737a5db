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

/** Shows the watcher the head of the file once, and its growth with every piece. */
class Observer<P> {
  private readonly watch: Watch<P>;
  private readonly statedBytes: number | null;
  private readonly head = new Uint8Array(HEAD_BYTES);
  private headBytes = 0;
  private looked = false;
  total = 0;

  constructor(watch: Watch<P>, statedBytes: number | null) {
    this.watch = watch;
    this.statedBytes = statedBytes;
  }

  private look(): P | null {
    this.looked = true;
    return this.watch.first(this.head.subarray(0, this.headBytes));
  }

  piece(piece: Uint8Array): P | "too_long" | null {
    this.total += piece.length;
    if (this.statedBytes !== null && this.total > this.statedBytes) {
      return "too_long";
    }
    const part = piece.subarray(0, HEAD_BYTES - this.headBytes);
    this.head.set(part, this.headBytes);
    this.headBytes += part.length;
    return (this.looked || this.headBytes < HEAD_BYTES ? null : this.look()) ?? this.watch.grown(this.total);
  }

  end(): P | "too_short" | null {
    const problem = this.looked ? null : this.look();
    return problem ?? (this.statedBytes !== null && this.total < this.statedBytes ? "too_short" : null);
  }
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
  // Nobody may be left to await it when the transfer is given up.
  digest.digest.catch(() => undefined);
  const hasher = digest.getWriter();
  const observer = new Observer(watch, incoming.statedBytes);
  let sink: Chunks | Whole | null = null;
  let taken = false;
  try {
    for (let piece = await incoming.read(); piece; piece = await incoming.read()) {
      const problem = observer.piece(piece);
      if (problem !== null) {
        return { ok: false, problem };
      }
      sink ??= openSink(bucket, incoming, options);
      await Promise.all([hasher.write(piece), sink.add(piece)]);
    }
    const problem = observer.end();
    if (problem !== null) {
      return { ok: false, problem };
    }
    sink ??= openSink(bucket, incoming, options);
    const inMemory = sink.held();
    const held = inMemory !== null && inMemory.length <= options.holdBytes ? inMemory : null;
    await Promise.all([hasher.close(), held ? null : sink.flush()]);
    const sha256 = toHex(new Uint8Array(await digest.digest));
    taken = true;
    return { ok: true, staged: { sizeBytes: observer.total, held, objects: held ? [] : sink.objects }, sha256 };
  } finally {
    if (!taken) {
      await hasher.abort(new Error("transfer given up")).catch(() => undefined);
      await (sink instanceof Whole ? sink.giveUp() : null);
      await discardStaged(bucket, { objects: sink?.objects ?? [] });
    }
  }
}
