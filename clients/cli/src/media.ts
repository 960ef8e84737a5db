import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { Almanac, MediaItemInput } from "@almanac/client";
import { fileFromPath } from "@almanac/client/node";
import { CommandError } from "./exit-codes.ts";
import type { Session } from "./session.ts";

/** Also an address that the service refuses, because its reason is clearer than that there is no such file. */
const isUrl = (text: string) => /^[a-z][a-z\d+.-]*:\/\//i.test(text);

async function readable(path: string): Promise<File> {
  try {
    if (!(await stat(path)).isFile()) {
      throw new Error("it is no file");
    }
    const file = await fileFromPath(path);
    if (file.type !== "") {
      return file;
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CommandError(
      "usage",
      "unreadable_file",
      `${path} cannot be read: ${code === "ENOENT" ? "there is no such file" : message}`,
    );
  }
  throw new CommandError(
    "usage",
    "unknown_file_type",
    `${path} has no known type: take a file that ends in .jpg, .png, .webp, .gif, .heic, .avif, .mp4, .mov or .webm`,
  );
}

/** The media items of files of this computer, which are uploaded, and of public URLs, which the service fetches. */
export async function resolveMedia(
  session: Session,
  almanac: Almanac,
  sources: readonly string[],
): Promise<MediaItemInput[]> {
  // All files are looked at before the first byte is sent.
  const files = await Promise.all(sources.map(async (source) => (isUrl(source) ? source : await readable(source))));
  const items: MediaItemInput[] = [];
  for (const file of files) {
    if (typeof file === "string") {
      const { media_items: imported } = await almanac.importMedia({ body: { urls: [file] }, signal: session.signal });
      items.push(...imported.map(({ url, type }) => ({ url, type })));
    } else {
      items.push(
        await almanac.upload(file, {
          signal: session.signal,
          onProgress: ({ sentBytes, totalBytes }) =>
            session.terminal.progress(basename(file.name), sentBytes, totalBytes),
        }),
      );
    }
  }
  return items;
}
