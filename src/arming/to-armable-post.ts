import { type Platform, platformsOf } from "#core/platform.ts";
import type { PostStatus } from "#core/status.ts";
import type { StoredMediaItem } from "#db/schema.ts";
import type { ArmablePost } from "./arm-posts.ts";
import { storedDocument } from "#posts/rows/option-document.ts";
import type { Post } from "#posts/rows/types.ts";

export function armableFromPost(post: Post, workspaceId: string): ArmablePost {
  const { id, version, status, mediaItems: media, targets } = post;
  const waiting = targets.flatMap((target) => (target.status === "pending" ? [target.nextAttemptAt ?? 0] : []));
  const scheduledAt = waiting.length === 0 ? post.scheduledAt : Math.max(post.scheduledAt, Math.min(...waiting));
  const hasDocument = targets.some(({ platformOptions }) => storedDocument(platformOptions) !== null);
  return { id, workspaceId, version, status, scheduledAt, media, hasDocument, platforms: platformsOf(post.targets) };
}

/** The columns of a post that arming needs. JSON columns are unparsed texts. */
export interface ArmableRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly version: number;
  readonly status: PostStatus;
  readonly scheduled_at: number;
  readonly platforms: string;
  readonly media: string;
}

export function armableFromRow(row: ArmableRow): ArmablePost {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    version: row.version,
    status: row.status,
    scheduledAt: row.scheduled_at,
    platforms: JSON.parse(row.platforms) as Platform[],
    media: JSON.parse(row.media) as StoredMediaItem[],
  };
}
