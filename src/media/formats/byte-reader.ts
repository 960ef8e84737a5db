/** The file is not what its first bytes promise, or breaks a rule that every reader of it relies on. */
export class Malformed extends Error {
  override readonly name = "Malformed";
  readonly code: "media_truncated" | "media_malformed" | "media_unsupported" | "media_suspicious";
  constructor(code: Malformed["code"], message: string) {
    super(message);
    this.code = code;
  }
}

export function truncated(what: string): never {
  throw new Malformed("media_truncated", `the file is cut off: ${what}`);
}

export function malformed(what: string): never {
  throw new Malformed("media_malformed", `the file is damaged: ${what}`);
}

export type FetchRange = (offset: number, length: number) => Promise<Uint8Array>;

const WINDOW_BYTES = 64 * 1024;
const MAX_READS = 256;
const MAX_READ_BYTES = 40 * 1024 * 1024;
const MAX_STEPS = 200_000;

/**
 * A file as random access over range reads, on a budget: whatever the bytes say, the number of reads, the bytes read and
 * the steps taken are bounded, so a hostile file costs as little as an honest one.
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

  /** One turn of a loop over the file's own structure; `weight` in the time of the cheapest of them. */
  step(weight = 32): void {
    this.steps += weight;
    if (this.steps > MAX_STEPS) {
      malformed("it has more parts than any real file");
    }
  }

  /** `length` bytes from `offset`, both within the file; `ahead` asks for a larger window where more will follow. */
  async view(offset: number, length: number, ahead = WINDOW_BYTES): Promise<DataView> {
    if (!Number.isSafeInteger(offset) || offset < 0 || offset + length > this.size) {
      truncated(`it ends at byte ${this.size}, but its structure goes on`);
    }
    if (offset < this.windowStart || offset + length > this.windowStart + this.window.byteLength) {
      await this.load(offset, Math.max(length, Math.min(ahead, this.size - offset)));
    }
    return new DataView(this.window.buffer, this.window.byteOffset + offset - this.windowStart, length);
  }

  /** The byte at `offset` when it is at hand: walking small blocks must not cost a turn each. */
  byteAtHand(offset: number): number | undefined {
    const at = offset - this.windowStart;
    return at >= 0 && at < this.window.byteLength ? this.window.getUint8(at) : undefined;
  }

  private async load(offset: number, length: number): Promise<void> {
    this.reads += 1;
    this.readBytes += length;
    if (this.reads > MAX_READS || this.readBytes > MAX_READ_BYTES) {
      malformed("its parts are scattered over more places than in any real file");
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

/** Unsigned 64 bits; above 2^53 the exact value no longer matters, only that it is too large. */
export function uint64At(view: DataView, offset: number): number {
  return view.getUint32(offset) * 2 ** 32 + view.getUint32(offset + 4);
}
