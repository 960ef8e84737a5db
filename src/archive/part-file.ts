import type { Services } from "#context.ts";
import type { ArchivedPost, ArchivePart } from "./types.ts";

/** The R2 keys of all archive files begin with this prefix. */
export const ARCHIVE_PREFIX = "archive/";

/** The format number in every line of an archive file. Code with a later format can recognize old lines by it. */
const FORMAT = 1;

/** Thrown if an archive file changed between reading and writing it. */
export class PartChanged extends Error {}

export class PartMissing extends Error {}

export function partKey({ workspaceId, firstAt, id }: Pick<ArchivePart, "workspaceId" | "firstAt" | "id">): string {
  return `${ARCHIVE_PREFIX}${workspaceId}/${new Date(firstAt).toISOString().slice(0, 7)}/${id}.jsonl.gz`;
}

export function partIdOf(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1).replace(/\.jsonl\.gz$/, "");
}

/**
 * Writes a part, an archive file of posts, and returns its size. If `replaces` is set, only that version of the file is
 * overwritten.
 */
export async function writePart(
  { bucket }: Pick<Services, "bucket">,
  key: string,
  posts: readonly ArchivedPost[],
  replaces?: string,
): Promise<number> {
  const lines = posts.map((post) => `${JSON.stringify({ format: FORMAT, ...post })}\n`);
  const bytes = await new Response(new Blob(lines).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
  const stored = await bucket.put(key, bytes, {
    httpMetadata: { contentType: "application/gzip" },
    ...(replaces !== undefined && { onlyIf: { etagMatches: replaces } }),
  });
  if (stored === null) {
    throw new PartChanged(key);
  }
  return bytes.byteLength;
}

/** Reads the posts of an archive file, and the version of the file. A part that the index lists always has a file. */
export async function readPart(
  { bucket }: Pick<Services, "bucket">,
  key: string,
): Promise<{ readonly posts: readonly ArchivedPost[]; readonly version: string }> {
  const object = await bucket.get(key);
  if (object === null) {
    throw new PartMissing(`archive part missing: ${key}`);
  }
  const text = await new Response(object.body.pipeThrough(new DecompressionStream("gzip"))).text();
  const posts = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as ArchivedPost);
  return { posts, version: object.etag };
}
