/** A form that is not a complete `multipart/form-data` body. */
export class MalformedForm extends Error {
  override readonly name = "MalformedForm";
}

export interface FormPart {
  readonly name: string;
  /** Null for a field that is not a file; empty for a file input without a file. */
  readonly filename: string | null;
  /** The next bytes of the value, valid until the next call; null at its end. */
  read(): Promise<Uint8Array | null>;
}

const MAX_HEADER_BYTES = 8 * 1024;
/** A post for many accounts has hundreds of fields. */
const MAX_PARTS = 1000;
const CR = 13;
const LF = 10;
const HYPHEN = 45;

/** The boundary in a content type; null if it is not `multipart/form-data`. */
export function boundaryOf(contentType: string): string | null {
  const match = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))/i.exec(
    contentType,
  );
  return match?.[1] ?? match?.[2] ?? null;
}

/** A parameter of `Content-Disposition` as browsers write it: quotes and line ends are percent-encoded, nothing else is. */
function dispositionParameter(header: string, name: string): string | null {
  const value = new RegExp(`;\\s*${name}="([^"]*)"`, "i").exec(header)?.[1];
  return value === undefined
    ? null
    : value
        .replaceAll("%22", '"')
        .replaceAll(/(?:%0D|%0A|[\r\n])+/gi, " ")
        .replaceAll("\0", "");
}

/**
 * Reads a form with files from a stream, one part after the other, and holds one chunk of it: `formData()` and the parsers for web
 * streams hold whole files (docs/decisions/streamed-form-uploads.md).
 */
class FormReader {
  readonly #source: () => Promise<Uint8Array | null>;
  /** CR LF, two hyphens and the boundary. Its first byte occurs nowhere else in it, so that a mismatch never needs to look back. */
  readonly #delimiter: Uint8Array;
  #chunk: Uint8Array = new Uint8Array(0);
  #position = 0;
  /** Bytes of the delimiter at the end of the previous chunk; the form begins as if after a line end. */
  #matched = 2;
  /** Whether the delimiter that ends the current part was read. */
  #partEnded = false;
  #parts = 0;

  constructor(source: () => Promise<Uint8Array | null>, boundary: string) {
    this.#source = source;
    this.#delimiter = new TextEncoder().encode(`\r\n--${boundary}`);
  }

  async #fill(): Promise<void> {
    const chunk = await this.#source();
    if (chunk === null) {
      throw new MalformedForm("the form ended before its last part");
    }
    this.#chunk = chunk;
    this.#position = 0;
  }

  /** Bytes up to the next delimiter; null once it was read. */
  async #readValue(): Promise<Uint8Array | null> {
    while (!this.#partEnded) {
      if (this.#position === this.#chunk.length) {
        await this.#fill();
      }
      const value = this.#scanChunk();
      if (value.length > 0) {
        return value;
      }
    }
    return null;
  }

  /** The bytes of the chunk that belong to the value; those at its end that may begin the delimiter wait for the next chunk. */
  #scanChunk(): Uint8Array {
    const [chunk, delimiter, start, carried] = [this.#chunk, this.#delimiter, this.#position, this.#matched];
    let matched = carried;
    for (let position = start; position < chunk.length; position += 1) {
      if (chunk[position] === delimiter[matched]) {
        matched += 1;
        if (matched === delimiter.length) {
          this.#position = position + 1;
          this.#matched = 0;
          this.#partEnded = true;
          return chunk.subarray(start, Math.max(start, position + 1 - matched));
        }
      } else if (carried > 0 && matched === carried + position - start) {
        // The bytes kept from the last chunk are part of the value after all; scan this chunk again without them.
        this.#matched = 0;
        return delimiter.subarray(0, carried);
      } else {
        matched = chunk[position] === CR ? 1 : 0;
      }
    }
    this.#position = chunk.length;
    this.#matched = matched;
    return chunk.subarray(start, Math.max(start, chunk.length - matched));
  }

  async #readByte(): Promise<number> {
    while (this.#position === this.#chunk.length) {
      await this.#fill();
    }
    const byte = this.#chunk[this.#position] ?? 0;
    this.#position += 1;
    return byte;
  }

  async #readLine(): Promise<string> {
    const bytes: number[] = [];
    for (let byte = await this.#readByte(); byte !== LF; byte = await this.#readByte()) {
      if (bytes.push(byte) > MAX_HEADER_BYTES) {
        throw new MalformedForm("a header of the form is too long");
      }
    }
    return new TextDecoder().decode(new Uint8Array(bytes)).replace(/\r$/, "");
  }

  async #readDisposition(): Promise<string> {
    let disposition = "";
    let length = 0;
    for (let line = await this.#readLine(); line !== ""; line = await this.#readLine()) {
      length += line.length;
      if (length > MAX_HEADER_BYTES) {
        throw new MalformedForm("the headers of the form are too long");
      }
      disposition = /^content-disposition:/i.test(line) ? line : disposition;
    }
    return disposition;
  }

  /** The next part; what was not read of the one before is skipped. Null after the last. */
  async next(): Promise<FormPart | null> {
    let skipped = await this.#readValue();
    while (skipped !== null) {
      skipped = await this.#readValue();
    }
    const [first, second] = [await this.#readByte(), await this.#readByte()];
    if (first === HYPHEN && second === HYPHEN) {
      return null;
    }
    this.#parts += 1;
    if (first !== CR || second !== LF || this.#parts > MAX_PARTS) {
      throw new MalformedForm("the form has too many parts, or a part without a beginning");
    }
    const disposition = await this.#readDisposition();
    this.#partEnded = false;
    return {
      name: dispositionParameter(disposition, "name") ?? "",
      filename: dispositionParameter(disposition, "filename"),
      read: () => this.#readValue(),
    };
  }
}

/** The parts of a form, in order. `source` returns chunks that are valid until the next call, and null at the end. */
export function readMultipart(
  source: () => Promise<Uint8Array | null>,
  boundary: string,
): { next(): Promise<FormPart | null> } {
  return new FormReader(source, boundary);
}
