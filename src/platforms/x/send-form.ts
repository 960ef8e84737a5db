import type { PlatformResponse } from "#platforms/response.ts";
import type { JobMedia, PlatformClient, PlatformRequestInit } from "#platforms/contract.ts";
import { type ByteRange, sendRange } from "#platforms/send-range.ts";

/*
 * X accepts files only as `multipart/form-data`, and `FormData` holds them in memory: hundreds of segments of a video would stay
 * there until garbage collection. So the form is written here around a file that is streamed.
 */

/** Escapes a file name the way browsers do in forms (HTML standard, multipart/form-data). */
function escapeFileName(name: string): string {
  return name.replaceAll(/["\r\n]/g, (character) => encodeURIComponent(character));
}

/** Sends the fields and then a stored file, or a part of it. Null when the connection broke. */
export async function sendForm(
  client: PlatformClient,
  url: string,
  fields: Readonly<Record<string, string>>,
  file: { readonly media: JobMedia; readonly name: string; readonly range: ByteRange },
  init: Pick<PlatformRequestInit, "headers" | "timeoutMs">,
): Promise<PlatformResponse | null> {
  const boundary = `form-${crypto.randomUUID()}`;
  const partHeader = (name: string) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"`;
  const before = new Blob([
    ...Object.entries(fields).map(([name, value]) => `${partHeader(name)}\r\n\r\n${value}\r\n`),
    `${partHeader("media")}; filename="${escapeFileName(file.name)}"\r\nContent-Type: ${file.media.contentType}\r\n\r\n`,
  ]);
  const after = new Blob([`\r\n--${boundary}--\r\n`]);
  const headers = {
    ...init.headers,
    "content-type": `multipart/form-data; boundary=${boundary}`,
    "content-length": String(before.size + file.range.length + after.size),
  };
  return sendRange(client, url, file.media, file.range, { ...init, method: "POST", headers }, { before, after });
}
