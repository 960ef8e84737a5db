/** Thrown for a form that is not a complete `multipart/form-data` body. */
export class MalformedForm extends Error {
  override readonly name = "MalformedForm";
}

export interface FormPart {
  readonly name: string;
  /** The name of the uploaded file. Null for a field that is not a file; empty for a file input without a file. */
  readonly filename: string | null;
  /** Returns the next bytes of the value, which are valid until the next call. Null at the end of the value. */
  read(): Promise<Uint8Array | null>;
}

const MAX_HEADER_BYTES = 8 * 1024;
/** The largest number of fields. A post for many accounts has hundreds. */
const MAX_PARTS = 1000;
const CR = 13;
const LF = 10;
const HYPHEN = 45;

/** The boundary in a content type. Null if the type is not `multipart/form-data`. */
export function boundaryOf(contentType: string): string | null {
  const match = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))/i.exec(
    contentType,
  );
  return match?.[1] ?? match?.[2] ?? null;
}

/** A parameter of `Content-Disposition` as browsers write it: only quotes and line ends are percent-encoded. */
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
 * Reads a form with files from a stream and holds one chunk at a time. `formData()` and parsers for web streams would
 * hold whole files (docs/decisions/streamed-form-uploads.md).
 */
class FormReader {
  readonly #source: () => Promise<Uint8Array | null>;
  /**
   * What separates the fields: CR LF, two hyphens and the boundary. Its first byte occurs only at its start, so a
   * mismatch never requires going back.
   */
  readonly #delimiter: Uint8Array;
  #chunk: Uint8Array = new Uint8Array(0);
  #position = 0;
  /** How many bytes of the delimiter the previous chunk ended with. The form starts as if a line end came before it. */
  #matched = 2;
  /** Whether the delimiter at the end of the current field was read. */
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

  /** Reads the bytes of a value up to the next delimiter. Null once the delimiter was read. */
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

  /**
   * The bytes of the chunk that belong to the value. Bytes at its end that may begin the delimiter wait for the next
   * chunk.
   */
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
        // The bytes kept from the last chunk belong to the value after all. Return them first, then scan this chunk
        // again.
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

  /** The next field of the form; unread bytes of the previous one are skipped. Null after the last. */
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

/**
 * Reads the fields of a form in order. `source` returns chunks that are valid until its next call, and null at the end.
 */
export function readMultipart(
  source: () => Promise<Uint8Array | null>,
  boundary: string,
): { next(): Promise<FormPart | null> } {
  return new FormReader(source, boundary);
}
