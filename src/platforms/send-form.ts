import type { JobMedia, PlatformClient, PlatformRequestInit } from "./contract.ts";
import type { PlatformResponse } from "./response.ts";
import { type ByteRange, sendRange } from "./send-range.ts";

/* Sends forms with files. Some platforms accept files only as `multipart/form-data`, but `FormData` would keep
   hundreds of parts of a video in memory. So this file writes the form around a streamed file. */

/** Escapes a file name as browsers do in forms (HTML standard, multipart/form-data). */
function escapeFileName(name: string): string {
  return name.replaceAll(/["\r\n]/g, (character) => encodeURIComponent(character));
}

/** A stored file, or a part of it, as a form field. */
export interface FormFile {
  readonly field: string;
  readonly media: JobMedia;
  readonly name: string;
  readonly range: ByteRange;
}

/** Sends the fields and then the file. Null if the connection broke. */
export async function sendForm(
  client: PlatformClient,
  url: string | URL,
  fields: Readonly<Record<string, string>>,
  file: FormFile,
  init: Pick<PlatformRequestInit, "headers" | "timeoutMs">,
): Promise<PlatformResponse | null> {
  const boundary = `form-${crypto.randomUUID()}`;
  const partHeader = (name: string) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"`;
  const before = new Blob([
    ...Object.entries(fields).map(([name, value]) => `${partHeader(name)}\r\n\r\n${value}\r\n`),
    `${partHeader(file.field)}; filename="${escapeFileName(file.name)}"\r\nContent-Type: ${file.media.contentType}\r\n\r\n`,
  ]);
  const after = new Blob([`\r\n--${boundary}--\r\n`]);
  const headers = {
    ...init.headers,
    "content-type": `multipart/form-data; boundary=${boundary}`,
    "content-length": String(before.size + file.range.length + after.size),
  };
  return sendRange(client, url, file.media, file.range, { ...init, method: "POST", headers }, { before, after });
}
