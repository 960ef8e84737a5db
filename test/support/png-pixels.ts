import { concatBytes } from "../media/bytes.ts";

type Pixel = readonly [red: number, green: number, blue: number, alpha: number];

/** How a byte is predicted from those left, above, and left above (PNG, part 9). */
const PREDICTIONS: readonly ((left: number, above: number, corner: number) => number)[] = [
  () => 0,
  (left) => left,
  (_, above) => above,
  (left, above) => Math.floor((left + above) / 2),
  (left, above, corner) => {
    const estimate = left + above - corner;
    const [byLeft, byAbove, byCorner] = [left, above, corner].map((value) => Math.abs(estimate - value)) as [
      number,
      number,
      number,
    ];
    return byLeft <= byAbove && byLeft <= byCorner ? left : byAbove <= byCorner ? above : corner;
  },
];

/** The pixels of a PNG with 8 bits for each of three or four colors, row by row. */
export async function pngPixels(png: Uint8Array<ArrayBuffer>): Promise<readonly (readonly Pixel[])[]> {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const [width, height, channels] = [view.getUint32(16), view.getUint32(20), png[25] === 6 ? 4 : 3];
  if (png[24] !== 8 || (png[25] !== 2 && png[25] !== 6)) {
    throw new Error("this reader knows 8-bit colors only");
  }
  const data: Uint8Array[] = [];
  for (let at = 8; at < png.length; at += view.getUint32(at) + 12) {
    if (new TextDecoder().decode(png.subarray(at + 4, at + 8)) === "IDAT") {
      data.push(png.subarray(at + 8, at + 8 + view.getUint32(at)));
    }
  }
  const inflated = new Blob([concatBytes(...data)]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(inflated).arrayBuffer());
  const stride = width * channels;
  const rows: Uint8Array[] = [];
  for (let y = 0; y < height; y += 1) {
    const predict = PREDICTIONS[bytes[y * (stride + 1)] ?? 0];
    const row = bytes.slice(y * (stride + 1) + 1, (y + 1) * (stride + 1));
    const above = rows[y - 1];
    for (let x = 0; x < stride; x += 1) {
      const predicted = predict?.(row[x - channels] ?? 0, above?.[x] ?? 0, above?.[x - channels] ?? 0) ?? 0;
      row[x] = (row[x] ?? 0) + predicted;
    }
    rows.push(row);
  }
  return rows.map((row) =>
    Array.from({ length: width }, (_, x): Pixel => {
      const [red = 0, green = 0, blue = 0, alpha = 255] = row.subarray(x * channels, (x + 1) * channels);
      return [red, green, blue, alpha];
    }),
  );
}
