import { CONTENT_TYPES } from "./content-types.ts";
import type { ContentType } from "./types.ts";

const MAX_STEM = 80;

/**
 * A name that is safe in a path, a header and a file system, with the extension of what the bytes are: some platforms look
 * at it, and none should be told a lie by it.
 */
export function safeFilename(wanted: string, contentType: ContentType): string {
  const { extensions, type } = CONTENT_TYPES[contentType];
  const known: readonly string[] = extensions;
  const dot = wanted.lastIndexOf(".");
  const given = dot > 0 ? wanted.slice(dot + 1).toLowerCase() : "";
  const stem = (dot > 0 ? wanted.slice(0, dot) : wanted)
    .normalize("NFKD")
    .replaceAll(/[^A-Za-z0-9_-]+/g, "-")
    .replaceAll(/-{2,}/g, "-")
    .slice(0, MAX_STEM)
    .replaceAll(/^[-_]+|[-_]+$/g, "");
  return `${stem || type}.${known.includes(given) ? given : extensions[0]}`;
}

/** The last step of a path, as a person would name the file. */
export function filenameOf(url: URL): string {
  const last = url.pathname.split("/").findLast((step) => step !== "") ?? "";
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
