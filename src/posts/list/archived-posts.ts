import type { ArchivedPost, ArchivedTargetRow } from "#archive/index.ts";
import type { Platform } from "#core/platform.ts";
import type { StoredPostChange } from "#db/schema.ts";
import type { Attempt } from "#posts/rows/types.ts";
import type { Post, PostSummary } from "#posts/rows/types.ts";
import { type PostRow, toPost, toSummary } from "#posts/rows/store-post-rows.ts";
import { readAttempts, type TargetHistoryRow } from "#posts/rows/store-posts-by-id.ts";

/** Converts an archived post into the form that the API shows. */
export function toArchivedPost({ post, targets, annotations }: ArchivedPost, now: number): Post {
  const row = {
    ...post,
    annotations: annotationsOfRow(annotations),
    targets: JSON.stringify(targets.map(toTargetObject)),
  } as unknown as PostRow;
  return { ...toPost(row, now), archived: true };
}

export function toArchivedSummary({ post, targets, annotations }: ArchivedPost): PostSummary {
  return toSummary({
    id: post.id,
    status: post.status,
    scheduled_at: post.scheduled_at,
    version: Number(post["version"]),
    watch_at: null,
    caption: [...String(post["caption"])].slice(0, 140).join(""),
    post_type: post["post_type"] as PostSummary["postType"],
    platforms: String(post["platforms"]),
    media_count: countOf(post["media"]),
    target_counts: JSON.stringify([targets.length, Math.max(0, ...targets.map(({ media }) => countOf(media)))]),
    annotations: annotationsOfRow(annotations),
  });
}

export function archivedAttempts({ targets }: ArchivedPost): Attempt[] {
  return readAttempts(
    targets.map((target): TargetHistoryRow => ({
      account_id: target.account_id,
      platform: target["platform"] as Platform,
      history: String(target["history"]),
    })),
  );
}

export function archivedChanges({ post }: ArchivedPost): StoredPostChange[] {
  return JSON.parse(String(post["changes"] ?? "[]")) as StoredPostChange[];
}

function countOf(items: unknown): number {
  return typeof items === "string" ? (JSON.parse(items) as unknown[]).length : 0;
}

/** Builds from an archived row the text that SQL builds for the annotations of a post in the database. */
function annotationsOfRow(row: ArchivedPost["annotations"]): string | null {
  const parsed = (column: string) => JSON.parse(String(row?.[column])) as unknown;
  return row === undefined
    ? null
    : JSON.stringify({
        externalId: row["external_id"],
        metadata: parsed("metadata"),
        labels: parsed("labels"),
        notes: row["notes"],
      });
}

/** Builds from an archived row the object that SQL builds for a target in the database. */
function toTargetObject(row: ArchivedTargetRow) {
  const parsed = (column: string): unknown => {
    const value = row[column] ?? null;
    return value === null ? null : JSON.parse(String(value));
  };
  return {
    content: {
      accountId: row.account_id,
      position: row["position"],
      platform: row["platform"],
      username: row["username"],
      caption: row["caption"],
      effectiveCaption: row["effective_caption"],
      options: parsed("options"),
      requestedOptions: parsed("requested_options"),
      media: parsed("media"),
      parts: parsed("progress"),
    },
    progress: {
      state: row["state"],
      dueAt: row["due_at"],
      startedAt: row["started_at"],
      publishedAt: row["published_at"],
      attempts: row["attempts"],
      nextAttemptAt: row["next_attempt_at"],
      remoteId: row["remote_id"],
      remoteUrl: row["remote_url"],
      error: parsed("error"),
      extras: parsed("extras"),
      verifyHistory: null,
    },
  };
}
