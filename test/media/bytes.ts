export function concatBytes(...parts: readonly (Uint8Array | string)[]): Uint8Array<ArrayBuffer> {
  const bytes = parts.map((part) => (typeof part === "string" ? new TextEncoder().encode(part) : part));
  const whole = new Uint8Array(bytes.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of bytes) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/** Repeats bytes as often as fits into `upToBytes`. */
export function repeatBytes(unit: Uint8Array | readonly number[], upToBytes: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.floor(upToBytes / unit.length) * unit.length);
  bytes.set(unit.length <= bytes.length ? unit : []);
  for (let filled = unit.length; filled < bytes.length; filled *= 2) {
    bytes.copyWithin(filled, 0, Math.min(filled, bytes.length - filled));
  }
  return bytes;
}

export function uint32(value: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}
