/** The size and the name of a box. */
export const FREE_BOX_HEADER_BYTES = 8;

/** Makes an MP4 `free` box of this many bytes, header included. Appended to a video it enlarges the file, and players skip it. */
export function freeBox(size: number): Uint8Array<ArrayBuffer> {
  const box = new Uint8Array(size);
  new DataView(box.buffer).setUint32(0, size);
  box.set(new TextEncoder().encode("free"), 4);
  return box;
}
