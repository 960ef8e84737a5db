import type { JsonObject } from "#core/json.ts";
import { quoted } from "./quoted.ts";
import { threadCaptions } from "#platforms/thread.ts";
import { storedThreadMedia } from "#posts/rows/thread-media.ts";
import { presentMediaItem } from "#wire/schemas/media.ts";
import { mediaLine } from "./media-line.ts";

const CAPTION_MAX = 2500;

/** The options without the thread, whose parts are described on separate lines. */
export function withoutThread(options: JsonObject): JsonObject {
  const { thread: _thread, ...others } = options;
  return threadCaptions(options).length > 0 ? others : options;
}

/** Describes the parts of a thread after the first, numbered from 2. `notesOf` returns further lines for each part. */
export function threadLines(options: JsonObject, notesOf: (index: number) => readonly string[]): string[] {
  const media = storedThreadMedia(options);
  return threadCaptions(options).flatMap((caption, index) => [
    `  part ${index + 2}: ${[...notesOf(index), quoted(caption, CAPTION_MAX)].join("; ")}`,
    ...(media[index] ?? []).map(
      (item) => `    ${mediaLine(presentMediaItem(item))}${item.fitted ? ", a copy that fits" : ""}`,
    ),
  ]);
}
