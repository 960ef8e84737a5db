import { type PartRange, splitArchive } from "#archive/index.ts";
import type { Services } from "#context.ts";
import { type MediaRange, splitMedia } from "#media/index.ts";
import { type PostRange, splitPosts } from "#posts/index.ts";

/** A part of the download: ranges of keys, so that a row that is added or moved meanwhile is in one of them. */
export type ExportSection =
  | { readonly kind: "tables" }
  | { readonly kind: "posts"; readonly range: PostRange }
  | { readonly kind: "archive"; readonly range: PartRange }
  | { readonly kind: "media"; readonly range: MediaRange };

export interface ExportFile {
  readonly sections: readonly ExportSection[];
}

/*
 * The limits of one file. A download is one invocation: it may take 30 s of processor time and make 1,000 calls, and the checksum of a
 * gigabyte takes some seconds. A single media item may exceed the limit of bytes. Below 4 GiB no reader needs Zip64.
 */
export const FILE_LIMITS = { bytes: 1024 ** 3, reads: 400 };
const POSTS_PER_SECTION = 10_000;
const PARTS_PER_SECTION = 100;
/** A section of posts needs one call to the database for this many posts. */
const POSTS_PER_CALL = 50;

interface Weighed {
  readonly section: ExportSection;
  readonly bytes: number;
  readonly reads: number;
}

async function weighWorkspace(
  services: Pick<Services, "db">,
  workspaceId: string,
  limits: typeof FILE_LIMITS,
): Promise<readonly Weighed[]> {
  const posts = await splitPosts(services, workspaceId, POSTS_PER_SECTION);
  const archive = await splitArchive(services, workspaceId, PARTS_PER_SECTION);
  const media = await splitMedia(services, workspaceId, { bytes: limits.bytes, files: limits.reads });
  return [
    ...posts.map(({ posts: count, ...range }) => ({
      section: { kind: "posts", range } as const,
      bytes: 0,
      reads: Math.ceil(count / POSTS_PER_CALL),
    })),
    ...archive.map((range) => ({ section: { kind: "archive", range } as const, bytes: 0, reads: PARTS_PER_SECTION })),
    ...media.map(({ files, bytes, ...range }) => ({
      section: { kind: "media", range } as const,
      bytes,
      reads: files,
    })),
  ];
}

/** Packs all workspaces into as few files as the limits allow, almost always one. */
export async function planFiles(
  services: Pick<Services, "db">,
  workspaceIds: readonly string[],
  limits = FILE_LIMITS,
): Promise<readonly ExportFile[]> {
  const files: ExportSection[][] = [];
  let open: Weighed[] = [{ section: { kind: "tables" }, bytes: 0, reads: 0 }];
  const close = () => files.push(open.map(({ section }) => section));
  for (const workspaceId of workspaceIds) {
    for (const weighed of await weighWorkspace(services, workspaceId, limits)) {
      const bytes = open.reduce((sum, section) => sum + section.bytes, weighed.bytes);
      const reads = open.reduce((sum, section) => sum + section.reads, weighed.reads);
      if (bytes > limits.bytes || reads > limits.reads) {
        close();
        open = [];
      }
      open = [...open, weighed];
    }
  }
  close();
  return files.map((sections) => ({ sections }));
}
