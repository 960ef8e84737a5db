import { concatBytes } from "./bytes.ts";

/* PDF files of the two forms that writers use: a table of objects as text, and compressed streams. */

interface PdfOptions {
  readonly pages: number;
  /** Told in the page tree instead of `pages`. */
  readonly count?: string;
  /** Makes the bytes differ from those of any other file. */
  readonly salt?: string;
}

function objectsOf({ pages, count = String(pages) }: PdfOptions): readonly string[] {
  const kids = Array.from({ length: pages }, (_, index) => `${index + 3} 0 R`).join(" ");
  return [
    "<</Type/Catalog/Pages 2 0 R>>",
    `<</Type/Pages/Kids[${kids}]/Count ${count}>>`,
    ...Array.from({ length: pages }, () => "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 750]/Resources<<>>>>"),
  ];
}

/** As version 1.4 has it. */
export function pdf(options: PdfOptions): Uint8Array<ArrayBuffer> {
  const objects = objectsOf(options);
  let text = `%PDF-1.4\n%${options.salt ?? ""}\n`;
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = text.length;
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`;
  return concatBytes(`${text}trailer\n<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`);
}

async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

/** As version 1.5 has it: the objects in one stream, the table in another, whose rows are predicted from the row above. */
export async function compressedPdf(options: PdfOptions): Promise<Uint8Array<ArrayBuffer>> {
  const objects = objectsOf(options);
  const container = objects.length + 1;
  const table = objects.length + 2;
  let at = 0;
  const starts = objects.map((object, index) => {
    const start = `${index + 1} ${at}`;
    at += object.length + 1;
    return start;
  });
  const head = `${starts.join(" ")} `;
  const packedObjects = await deflate(concatBytes(`${head}${objects.join(" ")} `));
  const begin = "%PDF-1.5\n";
  const stream = `${container} 0 obj\n<</Type/ObjStm/N ${objects.length}/First ${head.length}/Filter/FlateDecode/Length ${packedObjects.length}>>\nstream\n`;
  const end = "\nendstream\nendobj\n";
  const start = begin.length + stream.length + packedObjects.length + end.length;
  const row = (kind: number, place: number, index: number) => [kind, place >> 8, place & 255, index >> 8, index & 255];
  const rows = [
    row(0, 0, 0),
    ...objects.map((_, index) => row(2, container, index)),
    row(1, begin.length, 0),
    row(1, start, 0),
  ];
  const predicted = rows.flatMap((values, index) => [
    2,
    ...values.map((value, column) => value - (rows[index - 1]?.[column] ?? 0)),
  ]);
  const packedRows = await deflate(Uint8Array.from(predicted));
  const dictionary = `${table} 0 obj\n<</Type/XRef/Size ${rows.length}/W[1 2 2]/Root 1 0 R/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 5>>/Length ${packedRows.length}>>\nstream\n`;
  return concatBytes(
    `${begin}${stream}`,
    packedObjects,
    `${end}${dictionary}`,
    packedRows,
    `${end}startxref\n${start}\n%%EOF\n`,
  );
}
