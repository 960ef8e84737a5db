import type { Answer } from "#platforms/answer.ts";
import type { JobMedia, PlatformClient, PlatformRequestInit } from "#platforms/contract.ts";
import { type ByteRange, sendRange } from "#platforms/send-range.ts";

/*
 * X takes files as `multipart/form-data` alone, and `FormData` wants them in memory: hundreds of segments of a film stay there
 * until the garbage is collected. So the form is written here, around a file that is passed through.
 */

/** As browsers write a file name into a form. */
function quoted(name: string): string {
  return name.replaceAll(/["\r\n]/g, (character) => encodeURIComponent(character));
}

/** Sends fields and a stored file, or a part of it, as the last one. Null when the connection broke. */
export async function sendForm(
  client: PlatformClient,
  url: string,
  fields: Readonly<Record<string, string>>,
  file: { readonly media: JobMedia; readonly name: string; readonly range: ByteRange },
  init: Pick<PlatformRequestInit, "headers" | "timeoutMs">,
): Promise<Answer | null> {
  const boundary = `form-${crypto.randomUUID()}`;
  const named = (name: string) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"`;
  const before = new Blob([
    ...Object.entries(fields).map(([name, value]) => `${named(name)}\r\n\r\n${value}\r\n`),
    `${named("media")}; filename="${quoted(file.name)}"\r\nContent-Type: ${file.media.contentType}\r\n\r\n`,
  ]);
  const after = new Blob([`\r\n--${boundary}--\r\n`]);
  const headers = {
    ...init.headers,
    "content-type": `multipart/form-data; boundary=${boundary}`,
    "content-length": String(before.size + file.range.length + after.size),
  };
  return sendRange(client, url, file.media, file.range, { ...init, method: "POST", headers }, { before, after });
}
