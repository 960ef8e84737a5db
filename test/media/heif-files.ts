import { concatBytes, uint32 } from "./bytes.ts";

type Bytes = Uint8Array<ArrayBuffer>;

function box(name: string, ...content: readonly (Uint8Array | string)[]): Bytes {
  const body = concatBytes(...content);
  return concatBytes(uint32(body.length + 8), name, body);
}

export interface HeifFile {
  readonly brand?: string;
  readonly compatible?: readonly string[];
  /** Width and height of each image in the file: tiles and previews come before the whole. */
  readonly sizes?: readonly (readonly [width: number, height: number])[];
  /** The image data; its bytes mean nothing. */
  readonly data?: Uint8Array;
}

/** A file that says of itself what a HEIC photo does, and has no image in it: nothing here decodes HEIC. */
export function heifFile({
  brand = "heic",
  compatible = ["mif1", "heic"],
  sizes = [[4032, 3024]],
  data = new Uint8Array(3000),
}: HeifFile = {}): Bytes {
  const flags = uint32(0);
  const properties = sizes.map(([width, height]) => box("ispe", flags, uint32(width), uint32(height)));
  return concatBytes(
    box("ftyp", brand, uint32(0), ...compatible),
    box("meta", flags, box("hdlr", flags), box("iprp", box("ipco", ...properties), box("ipma", flags))),
    box("mdat", data),
  );
}
