import { CONTENT_TYPES } from "./content-types.ts";
import type { ContentType } from "./types.ts";

const MAX_STEM_LENGTH = 80;

/**
 * Makes a file name that is safe in a path, a header and a file system. The detected type decides the extension,
 * because some platforms rely on it.
 */
export function safeFilename(requestedName: string, contentType: ContentType): string {
  const { extensions, type } = CONTENT_TYPES[contentType];
  const known: readonly string[] = extensions;
  const dot = requestedName.lastIndexOf(".");
  const extension = dot > 0 ? requestedName.slice(dot + 1).toLowerCase() : "";
  const stem = (dot > 0 ? requestedName.slice(0, dot) : requestedName)
    .normalize("NFKD")
    .replaceAll(/[^A-Za-z0-9_-]+/g, "-")
    .replaceAll(/-{2,}/g, "-")
    .slice(0, MAX_STEM_LENGTH)
    .replaceAll(/^[-_]+|[-_]+$/g, "");
  return `${stem || type}.${known.includes(extension) ? extension : extensions[0]}`;
}

/** The file name in a URL: the decoded last segment of its path. */
export function filenameOf(url: URL): string {
  const last = url.pathname.split("/").findLast((segment) => segment !== "") ?? "";
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
