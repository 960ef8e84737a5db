/** Thrown for a file that is truncated, damaged, suspicious or of an unsupported variant. */
export class MediaFormatError extends Error {
  override readonly name = "MediaFormatError";
  readonly code: "media_truncated" | "media_malformed" | "media_type_unsupported" | "media_suspicious";
  constructor(code: MediaFormatError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

export function truncated(what: string): never {
  throw new MediaFormatError("media_truncated", `the file is cut off: ${what}`);
}

export function malformed(what: string): never {
  throw new MediaFormatError("media_malformed", `the file is damaged: ${what}`);
}

export type FetchRange = (offset: number, length: number) => Promise<Uint8Array>;

const WINDOW_BYTES = 64 * 1024;
const MAX_READS = 256;
const MAX_READ_BYTES = 40 * 1024 * 1024;
const MAX_STEPS = 200_000;

/**
 * Reads any part of a file by range requests. Reads, bytes and parsing steps are limited, so that a malicious file
 * costs no more than others.
 */
export class ByteReader {
  readonly size: number;
  private readonly fetchRange: FetchRange;
  private reads = 0;
  private readBytes = 0;
  private steps = 0;
  private windowStart = 0;
  private window: DataView = new DataView(new ArrayBuffer(0));

  constructor(size: number, fetchRange: FetchRange) {
    this.size = size;
    this.fetchRange = fetchRange;
  }

  /**
   * Counts an iteration of a parsing loop against the limit. `weight` is its time relative to the cheapest iteration.
   */
  step(weight = 32): void {
    this.steps += weight;
    if (this.steps > MAX_STEPS) {
      malformed("it has more parts than a real file");
    }
  }

  /**
   * Returns `length` bytes from `offset`. `readAhead` is how many bytes to load at once, for a caller that needs the
   * next bytes too.
   */
  async view(offset: number, length: number, readAhead = WINDOW_BYTES): Promise<DataView> {
    if (!Number.isSafeInteger(offset) || offset < 0 || offset + length > this.size) {
      truncated(`it ends at byte ${this.size}, but its structure continues`);
    }
    if (offset < this.windowStart || offset + length > this.windowStart + this.window.byteLength) {
      await this.load(offset, Math.max(length, Math.min(readAhead, this.size - offset)));
    }
    return new DataView(this.window.buffer, this.window.byteOffset + offset - this.windowStart, length);
  }

  /**
   * The byte at `offset`, if it is loaded. It is synchronous, so that reading many small blocks does not cost a promise
   * each.
   */
  bufferedByte(offset: number): number | undefined {
    const index = offset - this.windowStart;
    return index >= 0 && index < this.window.byteLength ? this.window.getUint8(index) : undefined;
  }

  private async load(offset: number, length: number): Promise<void> {
    this.reads += 1;
    this.readBytes += length;
    if (this.reads > MAX_READS || this.readBytes > MAX_READ_BYTES) {
      malformed("its parts are scattered over more places than in a real file");
    }
    const bytes = await this.fetchRange(offset, length);
    this.window = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.windowStart = offset;
  }
}

export function bytesOf(view: DataView, offset = 0, length = view.byteLength - offset): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset + offset, length);
}

export function asciiAt(view: DataView, offset: number, length: number): string {
  return String.fromCharCode(...bytesOf(view, offset, length));
}

/** Reads a 64-bit integer. Above 2^53 it is not exact, but callers only need to see that it is too large. */
export function uint64At(view: DataView, offset: number): number {
  return view.getUint32(offset) * 2 ** 32 + view.getUint32(offset + 4);
}
