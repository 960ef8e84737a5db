import type { Bucket, Services } from "#context.ts";
import { toHex } from "#core/encoding.ts";
import { STAGED_OBJECT_BYTES } from "#media/limits.ts";
import { deleteStagedFile, type StagedFile, STAGING_PREFIX } from "./staged-file.ts";

/** A file that is arriving. Each chunk is valid until the next one is read. */
export interface IncomingFile {
  readonly statedBytes: number | null;
  read(): Promise<Uint8Array | null>;
}

/** Checks a file while it arrives. A returned problem ends the transfer. */
export interface TransferCheck<P> {
  /** Called once with the first bytes, or with all bytes of a shorter file. */
  checkHead(head: Uint8Array): P | null;
  /** Called after every chunk, with the number of bytes so far. */
  checkSize(bytes: number): P | null;
}

export type StagingResult<P> =
  | { readonly ok: true; readonly staged: StagedFile; readonly sha256: string }
  | { readonly ok: false; readonly problem: P | "too_short" | "too_long" };

const HEAD_BYTES = 4096;

interface StagingOptions {
  /** The name of the temporary objects under `STAGING_PREFIX`. */
  readonly name: string;
  /** Up to this size (bytes) a file stays in memory. */
  readonly maxInMemoryBytes: number;
}

/**
 * Writes a file of unknown length: collects bytes in a buffer, and writes the buffer as an object whenever it is full.
 */
class BufferedWriter {
  readonly objects: { key: string; sizeBytes: number }[] = [];
  private readonly bucket: Bucket;
  private readonly name: string;
  private buffer: Uint8Array<ArrayBuffer>;
  private filled = 0;

  constructor(bucket: Bucket, name: string, sizeBytes: number) {
    this.bucket = bucket;
    this.name = name;
    this.buffer = new Uint8Array(sizeBytes);
  }

  async add(chunk: Uint8Array): Promise<void> {
    let rest = chunk;
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
    // List the object before it is written, so that a failed write is cleaned up too.
    this.objects.push({ key, sizeBytes: this.filled });
    await this.bucket.put(key, this.buffer.subarray(0, this.filled));
    this.filled = 0;
  }

  /** The whole file, if nothing is written yet; otherwise null. */
  bufferedBytes(): Uint8Array<ArrayBuffer> | null {
    return this.objects.length === 0 ? this.buffer.slice(0, this.filled) : null;
  }
}

/** Writes a file of known length as one object while it arrives. */
class StreamingWriter {
  readonly objects: { key: string; sizeBytes: number }[];
  private readonly writer: WritableStreamDefaultWriter<Uint8Array>;
  private readonly written: Promise<unknown>;

  constructor(bucket: Bucket, name: string, sizeBytes: number) {
    const key = `${STAGING_PREFIX}${name}/0`;
    const { readable, writable } = new FixedLengthStream(sizeBytes);
    this.objects = [{ key, sizeBytes }];
    this.writer = writable.getWriter();
    this.written = bucket.put(key, readable);
    this.written.catch((error: unknown) => this.writer.abort(error).catch(() => undefined));
  }

  async add(chunk: Uint8Array): Promise<void> {
    await this.writer.write(chunk);
  }

  async flush(): Promise<void> {
    await this.writer.close();
    await this.written;
  }

  async abort(): Promise<void> {
    await this.writer.abort(new Error("transfer aborted")).catch(() => undefined);
    await this.written.catch(() => undefined);
  }

  bufferedBytes(): null {
    return null;
  }
}

function openWriter(bucket: Bucket, incoming: IncomingFile, options: StagingOptions): BufferedWriter | StreamingWriter {
  const statedBytes = incoming.statedBytes;
  if (statedBytes !== null && statedBytes > options.maxInMemoryBytes) {
    return new StreamingWriter(bucket, options.name, statedBytes);
  }
  return new BufferedWriter(
    bucket,
    options.name,
    statedBytes === null ? STAGED_OBJECT_BYTES : Math.max(1, statedBytes),
  );
}

/** Checks the first bytes of a file once, and its size after every chunk. */
class TransferMonitor<P> {
  private readonly check: TransferCheck<P>;
  private readonly statedBytes: number | null;
  private readonly head = new Uint8Array(HEAD_BYTES);
  private headBytes = 0;
  private headChecked = false;
  total = 0;

  constructor(check: TransferCheck<P>, statedBytes: number | null) {
    this.check = check;
    this.statedBytes = statedBytes;
  }

  private checkHeadOnce(): P | null {
    this.headChecked = true;
    return this.check.checkHead(this.head.subarray(0, this.headBytes));
  }

  addChunk(chunk: Uint8Array): P | "too_long" | null {
    this.total += chunk.length;
    if (this.statedBytes !== null && this.total > this.statedBytes) {
      return "too_long";
    }
    const part = chunk.subarray(0, HEAD_BYTES - this.headBytes);
    this.head.set(part, this.headBytes);
    this.headBytes += part.length;
    return (
      (this.headChecked || this.headBytes < HEAD_BYTES ? null : this.checkHeadOnce()) ??
      this.check.checkSize(this.total)
    );
  }

  finish(): P | "too_short" | null {
    const problem = this.headChecked ? null : this.checkHeadOnce();
    return problem ?? (this.statedBytes !== null && this.total < this.statedBytes ? "too_short" : null);
  }
}

/**
 * Writes an arriving file to temporary storage and hashes it. Memory contains one chunk (known length) or one buffer
 * (unknown length), however large the file is. Each chunk is written and hashed before the next is read, so slow
 * storage slows the source down.
 */
export async function writeStagedFile<P>(
  { bucket }: Pick<Services, "bucket">,
  incoming: IncomingFile,
  check: TransferCheck<P>,
  options: StagingOptions,
): Promise<StagingResult<P>> {
  const digest = new crypto.DigestStream("SHA-256");
  // If the transfer is aborted, nobody awaits the digest. Without this line its rejection would be unhandled.
  digest.digest.catch(() => undefined);
  const hasher = digest.getWriter();
  const monitor = new TransferMonitor(check, incoming.statedBytes);
  let writer: BufferedWriter | StreamingWriter | null = null;
  let succeeded = false;
  try {
    for (let chunk = await incoming.read(); chunk; chunk = await incoming.read()) {
      const problem = monitor.addChunk(chunk);
      if (problem !== null) {
        return { ok: false, problem };
      }
      writer ??= openWriter(bucket, incoming, options);
      await Promise.all([hasher.write(chunk), writer.add(chunk)]);
    }
    const problem = monitor.finish();
    if (problem !== null) {
      return { ok: false, problem };
    }
    writer ??= openWriter(bucket, incoming, options);
    const buffered = writer.bufferedBytes();
    const inMemory = buffered !== null && buffered.length <= options.maxInMemoryBytes ? buffered : null;
    await Promise.all([hasher.close(), inMemory ? null : writer.flush()]);
    const sha256 = toHex(new Uint8Array(await digest.digest));
    succeeded = true;
    return {
      ok: true,
      staged: { sizeBytes: monitor.total, inMemory, objects: inMemory ? [] : writer.objects },
      sha256,
    };
  } finally {
    if (!succeeded) {
      await hasher.abort(new Error("transfer aborted")).catch(() => undefined);
      await (writer instanceof StreamingWriter ? writer.abort() : null);
      await deleteStagedFile(bucket, { objects: writer?.objects ?? [] });
    }
  }
}
