import type { Services } from "#context.ts";
import type { ArchivedPost, ArchivePart } from "./types.ts";

/** The R2 key of every part begins with this. */
export const ARCHIVE_PREFIX = "archive/";

/** The format number in every line, so that code with a later format can recognize lines of this one. */
const FORMAT = 1;

/** The content of the file has changed since it was read. */
export class PartChanged extends Error {}

export class PartMissing extends Error {}

export function partKey({ workspaceId, firstAt, id }: Pick<ArchivePart, "workspaceId" | "firstAt" | "id">): string {
  return `${ARCHIVE_PREFIX}${workspaceId}/${new Date(firstAt).toISOString().slice(0, 7)}/${id}.jsonl.gz`;
}

export function partIdOf(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1).replace(/\.jsonl\.gz$/, "");
}

/** Writes a part and returns its size. `replaces` is the version that it may replace. */
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

/** Reads the posts of a part and the version of its content. A part that the index lists always has a file. */
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
