import { type PartRange, splitArchive } from "#archive/index.ts";
import type { Services } from "#context.ts";
import { type MediaRange, splitMedia } from "#media/index.ts";
import { type PostRange, splitPosts } from "#posts/index.ts";

/** A part of the download, as a range of keys. A row that is added or moved meanwhile is then in one of the parts. */
export type ExportSection =
  | { readonly kind: "tables" }
  | { readonly kind: "posts"; readonly range: PostRange }
  | { readonly kind: "archive"; readonly range: PartRange }
  | { readonly kind: "media"; readonly range: MediaRange };

export interface ExportFile {
  readonly sections: readonly ExportSection[];
}

/* The limits of one file, which one invocation must write. An invocation has 30 s of processor time and 1,000 calls,
   and a gigabyte's checksum takes seconds. A single media item may exceed the limit of bytes. Below 4 GiB no program
   needs Zip64. */
export const FILE_LIMITS = { bytes: 1024 ** 3, reads: 400 };
const POSTS_PER_SECTION = 10_000;
const PARTS_PER_SECTION = 100;
/** How many posts one database query reads for the file. */
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

/** Packs all workspaces into as few files as the limits allow, nearly always one. */
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
