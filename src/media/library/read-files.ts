import type { Services } from "#context.ts";
import { mediaKey } from "#media/urls.ts";
import { selectFiles } from "./store-files.ts";

/** A range of a workspace's files in the order of their hashes. Null means from the beginning, or to the end. */
export interface MediaRange {
  readonly workspaceId: string;
  readonly after: string | null;
  readonly to: string | null;
}

export interface FileLimits {
  readonly files: number;
  readonly bytes: number;
}

export interface MediaFile {
  readonly id: string;
  readonly filename: string;
  readonly createdAt: number;
  /** The file's content; null if the file no longer exists. */
  readonly body: ReadableStream<Uint8Array> | null;
}

const ROWS_PER_READ = 500;

/** Reads the files of a range one after the other. A file is opened only when the consumer reaches it. */
export async function* readMediaFiles(
  { db, bucket }: Pick<Services, "db" | "bucket">,
  { workspaceId, after, to }: MediaRange,
): AsyncGenerator<MediaFile> {
  let last = after;
  for (;;) {
    const files = await selectFiles(db, workspaceId, { after: last, to, limit: ROWS_PER_READ });
    for (const { id, filename, createdAt, sha256 } of files) {
      const object = await bucket.get(mediaKey(sha256));
      yield { id, filename, createdAt, body: object?.body ?? null };
      last = sha256;
    }
    if (files.length < ROWS_PER_READ) {
      return;
    }
  }
}

/**
 * Divides a workspace's files into ranges within the limits, each with its number of files and bytes. A single file may
 * exceed the limits.
 */
export async function splitMedia(
  { db }: Pick<Services, "db">,
  workspaceId: string,
  limits: FileLimits,
): Promise<readonly (MediaRange & FileLimits)[]> {
  const ranges: (MediaRange & FileLimits)[] = [];
  let open = { after: null as string | null, files: 0, bytes: 0 };
  let last: string | null = null;
  for (;;) {
    const files = await selectFiles(db, workspaceId, { after: last, to: null, limit: ROWS_PER_READ });
    for (const { sha256, sizeBytes } of files) {
      if (open.files > 0 && (open.files === limits.files || open.bytes + sizeBytes > limits.bytes)) {
        ranges.push({ workspaceId, ...open, to: last });
        open = { after: last, files: 0, bytes: 0 };
      }
      open = { after: open.after, files: open.files + 1, bytes: open.bytes + sizeBytes };
      last = sha256;
    }
    if (files.length < ROWS_PER_READ) {
      return open.files === 0 ? ranges : [...ranges, { workspaceId, ...open, to: null }];
    }
  }
}
