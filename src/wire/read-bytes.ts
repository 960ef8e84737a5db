import { concatBytes } from "#core/bytes.ts";

/** The largest body of a request (bytes). Files have their own limits. */
const MAX_BODY_BYTES = 1024 ** 2;

/** Reads a body up to the limit. Null if it is larger. */
export async function readBytes(request: Request): Promise<Uint8Array | null> {
  const length = Number(request.headers.get("content-length") ?? Number.NaN);
  if (length > MAX_BODY_BYTES) {
    return null;
  }
  if (length >= 0) {
    // Over HTTP, the body ends after the declared length, so it can be read whole.
    const bytes = new Uint8Array(await request.arrayBuffer());
    return bytes.byteLength > MAX_BODY_BYTES ? null : bytes;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) {
      return null;
    }
    chunks.push(chunk);
  }
  return concatBytes(chunks);
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** Decodes UTF-8 bytes. Null for other bytes. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}
