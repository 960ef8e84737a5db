import type { Services } from "#context.ts";

import { partKey, readPart } from "./part-file.ts";
import { type PartPosition, selectPartsBetween } from "./store-parts.ts";
import type { ArchivedPost } from "./types.ts";

const PARTS_PER_READ = 100;

/** A range of a workspace's archive. Null means that this side has no limit. */
export interface PartRange {
  readonly workspaceId: string;
  readonly after: PartPosition | null;
  readonly to: PartPosition | null;
}

/** Reads the archived posts of a range file by file, so that only one file is in memory. */
export async function* readArchive(
  services: Pick<Services, "db" | "bucket">,
  { workspaceId, after, to }: PartRange,
): AsyncGenerator<readonly ArchivedPost[]> {
  let position = after;
  for (;;) {
    const parts = await selectPartsBetween(services.db, workspaceId, {
      after: position,
      to,
      limit: PARTS_PER_READ,
    });
    for (const part of parts) {
      yield (await readPart(services, partKey(part))).posts;
      position = { firstAt: part.firstAt, id: part.id };
    }
    if (parts.length < PARTS_PER_READ) {
      return;
    }
  }
}

/** Splits a workspace's archive into ranges of `partsPerFile` archive files each. */
export async function splitArchive(
  services: Pick<Services, "db">,
  workspaceId: string,
  partsPerFile: number,
): Promise<readonly PartRange[]> {
  const ranges: PartRange[] = [];
  let after: PartPosition | null = null;
  for (;;) {
    const parts = await selectPartsBetween(services.db, workspaceId, {
      after,
      to: null,
      limit: partsPerFile + 1,
    });
    const last = parts[partsPerFile - 1];
    if (parts.length <= partsPerFile || last === undefined) {
      return parts.length === 0 && ranges.length === 0 ? [] : [...ranges, { workspaceId, after, to: null }];
    }
    const to = { firstAt: last.firstAt, id: last.id };
    ranges.push({ workspaceId, after, to });
    after = to;
  }
}
