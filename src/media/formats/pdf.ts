import { concatBytes } from "#core/bytes.ts";
import type { Inspection } from "#media/types.ts";
import { type ByteReader, bytesOf, MediaFormatError, truncated } from "./byte-reader.ts";

/* Reads what a preview needs from a PDF: whether it is complete, and its number of pages. The structure is that of
   ISO 32000-1, 7.5: the end of the file points to the cross-reference table (text or a compressed stream). The root
   of the page tree counts the pages. */

/** How far from the end `startxref` is searched. Mail programs and downloads append only a little after it. */
const TAIL_BYTES = 4096;
const DICTIONARY_BYTES = 16 * 1024;
/** How much of a page tree is read. A tree with one level lists every page before the count. */
const PAGE_TREE_BYTES = 64 * 1024;
const MAX_SECTIONS = 32;
const MAX_INFLATED_BYTES = 8 * 1024 * 1024;
const ENTRY_BYTES = 20;

/**
 * A part of the PDF's cross-reference table: for each object, its offset, or the compressed object that contains it.
 */
interface Section {
  readonly find: (object: number) => Promise<Place | undefined>;
  readonly dictionary: string;
}

type Place = { readonly offset: number } | { readonly within: number; readonly index: number };

export async function inspectPdf(reader: ByteReader): Promise<Inspection> {
  const tailBytes = Math.min(TAIL_BYTES, reader.size);
  const tail = textOf(bytesOf(await reader.view(reader.size - tailBytes, tailBytes)));
  const start = /startxref\s+(\d{1,12})\s+%%EOF(?![^]*startxref)/.exec(tail)?.[1];
  if (start === undefined) {
    truncated("the PDF does not end with its table of contents");
  }
  const pages = await countPages(reader, Number(start));
  return {
    type: "document",
    contentType: "application/pdf",
    width: null,
    height: null,
    durationMs: null,
    facts: pages === null ? {} : { pages },
  };
}

/** Counts the pages of a PDF. Null if that is impossible, because encrypted and unusual files are accepted too. */
async function countPages(reader: ByteReader, start: number): Promise<number | null> {
  try {
    const sections = await readSections(reader, start);
    const root = referenceIn(sections.map(({ dictionary }) => dictionary).join(" "), "Root");
    const catalog = root === null ? null : await readObject(reader, sections, root, DICTIONARY_BYTES);
    const tree = catalog === null ? null : referenceIn(catalog, "Pages");
    const pageTree = tree === null ? null : await readObject(reader, sections, tree, PAGE_TREE_BYTES);
    const count = /\/Count\s+(\d{1,9})\b(?!\s+\d+\s+R)/.exec(pageTree ?? "")?.[1];
    return count === undefined ? null : Number(count);
  } catch (error) {
    // `DecompressionStream` throws a TypeError for encrypted bytes and for bytes that are not compressed.
    if (error instanceof MediaFormatError || error instanceof RangeError || error instanceof TypeError) {
      return null;
    }
    throw error;
  }
}

/** Reads the parts of the cross-reference table, newest first. Each change of a file has added one part. */
async function readSections(reader: ByteReader, start: number): Promise<readonly Section[]> {
  const sections: Section[] = [];
  const seen = new Set<number>();
  const waiting = [start];
  for (let offset = waiting.shift(); offset !== undefined; offset = waiting.shift()) {
    reader.step();
    if (seen.has(offset) || sections.length === MAX_SECTIONS) {
      break;
    }
    seen.add(offset);
    const head = await textAt(reader, offset, 16);
    const section = /^\s*xref/.test(head) ? await readTable(reader, offset) : await readStreamSection(reader, offset);
    sections.push(section);
    for (const name of ["XRefStm", "Prev"]) {
      const next = numberIn(section.dictionary, name);
      waiting.push(...(next === null ? [] : [next]));
    }
  }
  return sections;
}

/** Reads a part in text form: `xref`, then runs of entries of 20 bytes, then the trailer. */
async function readTable(reader: ByteReader, start: number): Promise<Section> {
  const runs: { readonly first: number; readonly count: number; readonly offset: number }[] = [];
  let offset = start + (/^\s*xref\s+/.exec(await textAt(reader, start, 32))?.[0].length ?? 0);
  for (;;) {
    reader.step();
    const header = /^\s*(\d{1,9})\s+(\d{1,9})[ \t]*(?:\r\n|\r|\n)/.exec(await textAt(reader, offset, 64));
    if (!header) {
      break;
    }
    const run = { first: Number(header[1]), count: Number(header[2]), offset: offset + header[0].length };
    runs.push(run);
    offset = run.offset + run.count * ENTRY_BYTES;
  }
  return {
    dictionary: await textAt(reader, offset, DICTIONARY_BYTES),
    async find(object) {
      const run = runs.find(({ first, count }) => object >= first && object < first + count);
      const entry = run && (await textAt(reader, run.offset + (object - run.first) * ENTRY_BYTES, ENTRY_BYTES));
      const [, at] = /^(\d{10}) \d{5} n/.exec(entry ?? "") ?? [];
      return at === undefined ? undefined : { offset: Number(at) };
    },
  };
}

/** Reads a part in the form of a compressed stream: rows of three numbers, whose widths are in `/W`. */
async function readStreamSection(reader: ByteReader, start: number): Promise<Section> {
  const { dictionary, bytes } = await readStream(reader, start, []);
  const [type = 0, second = 0, third = 0] = numbersIn(dictionary, "W");
  const rowBytes = type + second + third;
  const index = numbersIn(dictionary, "Index");
  const ranges = index.length > 0 ? index : [0, numberIn(dictionary, "Size") ?? 0];
  const numberAt = (offset: number, width: number) =>
    bytes.subarray(offset, offset + width).reduce((value, byte) => value * 256 + byte, 0);
  return {
    dictionary,
    find(object) {
      let row = 0;
      for (let place = 0; place + 1 < ranges.length; place += 2) {
        const first = ranges[place] ?? 0;
        const count = ranges[place + 1] ?? 0;
        if (object >= first && object < first + count) {
          const offset = (row + object - first) * rowBytes;
          const kind = type === 0 ? 1 : numberAt(offset, type);
          const value = numberAt(offset + type, second);
          return Promise.resolve(
            kind === 1
              ? { offset: value }
              : kind === 2
                ? { within: value, index: numberAt(offset + type + second, third) }
                : undefined,
          );
        }
        row += count;
      }
      return Promise.resolve(undefined);
    },
  };
}

async function findObject(sections: readonly Section[], object: number): Promise<Place | undefined> {
  for (const section of sections) {
    const place = await section.find(object);
    if (place) {
      return place;
    }
  }
  return undefined;
}

/** The text of a PDF object, at most `maxBytes` of it. */
async function readObject(
  reader: ByteReader,
  sections: readonly Section[],
  object: number,
  maxBytes: number,
): Promise<string | null> {
  const place = await findObject(sections, object);
  if (!place) {
    return null;
  }
  if ("offset" in place) {
    const text = await textAt(reader, place.offset, maxBytes);
    return text.split(/\bendobj\b/, 1)[0] ?? null;
  }
  const container = await findObject(sections, place.within);
  if (!container || !("offset" in container)) {
    return null;
  }
  const { dictionary, bytes } = await readStream(reader, container.offset, sections);
  const first = numberIn(dictionary, "First") ?? 0;
  const starts = textOf(bytes.subarray(0, first)).trim().split(/\s+/).map(Number);
  const from = first + (starts[place.index * 2 + 1] ?? Number.NaN);
  const to = first + (starts[place.index * 2 + 3] ?? bytes.length);
  return Number.isSafeInteger(from) ? textOf(bytes.subarray(from, Math.min(to, from + maxBytes))) : null;
}

/** Reads a stream object of a PDF: its dictionary and its decompressed bytes. */
async function readStream(
  reader: ByteReader,
  offset: number,
  sections: readonly Section[],
): Promise<{ readonly dictionary: string; readonly bytes: Uint8Array }> {
  const head = /^\s*\d+\s+\d+\s+obj([^]*?)\bstream\r?\n/.exec(await textAt(reader, offset, DICTIONARY_BYTES));
  const [whole = "", dictionary = ""] = head ?? [];
  const lengthObject = referenceIn(dictionary, "Length");
  const length =
    lengthObject === null
      ? numberIn(dictionary, "Length")
      : Number(/obj\s+(\d{1,9})/.exec((await readObject(reader, sections, lengthObject, 64)) ?? "")?.[1]);
  if (!head || length === null || !(length > 0 && length <= MAX_INFLATED_BYTES)) {
    return { dictionary, bytes: new Uint8Array() };
  }
  const packed = bytesOf(await reader.view(offset + whole.length, length)).slice();
  const unpacked = /\/Filter\s*\[?\s*\/FlateDecode\b/.test(dictionary) ? await inflate(packed) : packed;
  const isPredicted = (numberIn(dictionary, "Predictor") ?? 1) >= 10;
  return {
    dictionary,
    bytes: isPredicted ? unpredict(reader, unpacked, numberIn(dictionary, "Columns") ?? 1) : unpacked,
  };
}

/** Decompresses bytes and stops at the size of a usual file, to prevent decompression bombs. */
async function inflate(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const unpacking = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
  const chunks: Uint8Array[] = [];
  let total = 0;
  for (let chunk = await unpacking.read(); !chunk.done; chunk = await unpacking.read()) {
    total += chunk.value.length;
    if (total > MAX_INFLATED_BYTES) {
      await unpacking.cancel();
      throw new RangeError("the stream is larger than that of a real file");
    }
    chunks.push(chunk.value);
  }
  return concatBytes(chunks);
}

/** Undoes a PNG predictor. Each row begins with its kind; programs use only "none", "left" and "up" for tables. */
function unpredict(reader: ByteReader, rows: Uint8Array, columns: number): Uint8Array {
  const count = Math.floor(rows.length / (columns + 1));
  const bytes = new Uint8Array(count * columns);
  for (let row = 0; row < count; row += 1) {
    reader.step(1);
    const kind = rows[row * (columns + 1)];
    for (let column = 0; column < columns; column += 1) {
      const left = kind === 1 && column > 0 ? bytes[row * columns + column - 1] : 0;
      const up = kind === 2 && row > 0 ? bytes[(row - 1) * columns + column] : 0;
      bytes[row * columns + column] = (rows[row * (columns + 1) + 1 + column] ?? 0) + (left ?? 0) + (up ?? 0);
    }
  }
  return bytes;
}

function textOf(bytes: Uint8Array): string {
  let text = "";
  for (let offset = 0; offset < bytes.length; offset += 8192) {
    text += String.fromCharCode(...bytes.subarray(offset, offset + 8192));
  }
  return text;
}

async function textAt(reader: ByteReader, offset: number, maxBytes: number): Promise<string> {
  return textOf(bytesOf(await reader.view(offset, Math.max(0, Math.min(maxBytes, reader.size - offset)))));
}

function numberIn(dictionary: string, name: string): number | null {
  const found = new RegExp(`/${name}\\s+(\\d{1,12})\\b`).exec(dictionary)?.[1];
  return found === undefined ? null : Number(found);
}

function numbersIn(dictionary: string, name: string): readonly number[] {
  const list = new RegExp(`/${name}\\s*\\[([\\d\\s]{1,400})\\]`).exec(dictionary)?.[1] ?? "";
  return list.trim().split(/\s+/).filter(Boolean).map(Number);
}

/** The number of the object to which a dictionary's member refers; null if it is no reference. */
function referenceIn(dictionary: string, name: string): number | null {
  const found = new RegExp(`/${name}\\s+(\\d{1,9})\\s+\\d{1,5}\\s+R\\b`).exec(dictionary)?.[1];
  return found === undefined ? null : Number(found);
}
