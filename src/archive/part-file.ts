import type { Services } from "#context.ts";
import type { ArchivedPost, ArchivePart } from "./types.ts";

/** Every part's key begins with this. */
export const ARCHIVE_PREFIX = "archive/";

/** Written into every line, so that a later form of the rows can tell the lines of this one. */
const FORMAT = 1;

/** Content that no longer has the version that was read. */
export class PartChanged extends Error {}

/** There is no file under the key. */
export class PartMissing extends Error {}

export function partKey({ workspaceId, firstAt, id }: Pick<ArchivePart, "workspaceId" | "firstAt" | "id">): string {
  return `${ARCHIVE_PREFIX}${workspaceId}/${new Date(firstAt).toISOString().slice(0, 7)}/${id}.jsonl.gz`;
}

/** The part that a key names. */
export function partIdOf(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1).replace(/\.jsonl\.gz$/, "");
}

/** Writes a part and returns its size; `replaces` is the version that it may replace. */
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

/** The posts of a part and the version of its content. A part that the index names is always there. */
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
