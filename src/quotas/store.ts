import { HOUR } from "#core/clock.ts";
import type { LimitKey } from "#core/plan.ts";
import type { Db } from "#db/client.ts";
import { failUnless } from "#db/conditional.ts";
import { LIMIT_REACHED } from "#db/errors.ts";

export interface HourlyUseRow {
  readonly name: string;
  readonly used: number;
}

interface HourOfUser {
  readonly userId: string;
  readonly hour: number;
}

interface Counter {
  readonly name: string;
  readonly count: number;
  readonly limit: number;
}

/** SQL for whether the counters ?3 of an hour ?1 and user ?2 may rise. */
const HAS_ROOM = `NOT EXISTS (SELECT 1 FROM json_each(?3) n LEFT JOIN hourly_use u
         ON u.hour = ?1 AND u.user_id = ?2 AND u.name = n.value ->> 'name'
         WHERE coalesce(u.used, 0) + (n.value ->> 'count') > n.value ->> 'limit')`;

/**
 * A statement that checks and counts, so that parallel calls cannot exceed a limit. It returns no row if a limit is
 * reached.
 */
export function countUseStatement(
  db: Db,
  { userId, hour, counters }: HourOfUser & { readonly counters: readonly Counter[] },
): D1PreparedStatement {
  return db.d1
    .prepare(
      `INSERT INTO hourly_use (hour, user_id, name, used)
       SELECT ?1, ?2, c.value ->> 'name', c.value ->> 'count' FROM json_each(?3) c
       WHERE ${HAS_ROOM}
       ON CONFLICT (hour, user_id, name) DO UPDATE SET used = used + excluded.used
       RETURNING name`,
    )
    .bind(hour, userId, JSON.stringify(counters));
}

/** Fails its batch if a limit is reached. */
export function hasRoomStatement(
  db: Db,
  { userId, hour, counters }: HourOfUser & { readonly counters: readonly Counter[] },
): D1PreparedStatement {
  return db.d1.prepare(failUnless(HAS_ROOM, LIMIT_REACHED)).bind(hour, userId, JSON.stringify(counters));
}

export function useStatement(
  db: Db,
  { userId, hour, names }: HourOfUser & { readonly names: readonly string[] },
): D1PreparedStatement {
  return db.d1
    .prepare(
      `SELECT u.name AS name, u.used AS used FROM json_each(?3) n
       CROSS JOIN hourly_use u ON u.hour = ?1 AND u.user_id = ?2 AND u.name = n.value`,
    )
    .bind(hour, userId, JSON.stringify(names));
}

/** What a user has now, by the limit that counts it. */
export type PresentUse = Readonly<
  Record<Exclude<LimitKey, "requestsPerMinute" | "userRequestsPerMinute" | "archiveAfterDays">, number>
>;

/**
 * SQL that counts the scheduled, publishing and paused posts of a user in all workspaces. It reads counters, so the
 * rows read depend on the days ahead and not on the posts.
 */
export const scheduledPostsOf = (userId: string): string =>
  `(SELECT coalesce(sum(
      (SELECT coalesce(sum(t.scheduled + t.paused), 0) FROM post_totals t WHERE t.workspace_id = w.id)
      + (SELECT coalesce(sum(d.scheduled + d.paused), 0) FROM post_days d WHERE d.workspace_id = w.id
          AND d.day >= coalesce((SELECT t.day FROM post_totals t WHERE t.workspace_id = w.id AND t.side = 'before'), 0)
          AND d.day < coalesce((SELECT t.day FROM post_totals t WHERE t.workspace_id = w.id AND t.side = 'from'), 9e15))), 0)
    FROM workspaces w WHERE w.user_id = ${userId})`;

// mutant: unlimited-drafts
export const draftBytesSql = (
  userId: "?1" | "?2",
) => `(SELECT coalesce(sum(octet_length(d.content)), 0) FROM workspaces w
  CROSS JOIN drafts d ON d.workspace_id = w.id WHERE w.user_id = ${userId})`;

export async function selectPresentUse(
  db: Db,
  { userId, workspaceId }: { readonly userId: string; readonly workspaceId: string },
  now: number,
): Promise<PresentUse> {
  const row = await db.d1
    .prepare(
      `SELECT (SELECT count(*) FROM accounts WHERE user_id = ?1 AND disconnected_at IS NULL) AS accounts,
         (SELECT count(*) FROM workspaces WHERE user_id = ?1) AS workspaces,
         (SELECT count(*) FROM api_keys
          WHERE user_id = ?1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?2)) AS apiKeys,
         (SELECT count(DISTINCT client_id) FROM oauth_grants WHERE user_id = ?1 AND revoked_at IS NULL) AS connectedApps,
         ${scheduledPostsOf("?1")} AS scheduledPosts,
         (SELECT coalesce(sum(s.bytes), 0) FROM workspaces w CROSS JOIN storage_use s ON s.workspace_id = w.id
          WHERE w.user_id = ?1) AS storageBytes,
         ${draftBytesSql("?1")} AS draftBytes,
         (SELECT count(*) FROM webhooks WHERE workspace_id = ?4) AS webhooks,
         coalesce((SELECT used FROM hourly_use WHERE hour = ?3 AND user_id = ?1 AND name = 'previews'), 0) AS previewsPerHour,
         coalesce((SELECT used FROM hourly_use WHERE hour = ?3 AND user_id = ?1 AND name = 'long_texts'), 0) AS textBytesPerHour,
         coalesce((SELECT used FROM hourly_use WHERE hour = ?3 AND user_id = ?1 AND name = 'media_fetches'), 0)
           AS mediaFetchesPerHour,
         coalesce((SELECT max(used) FROM hourly_use
           WHERE hour = ?3 AND user_id = ?1 AND name LIKE 'media_fetches_of_host:%'), 0) AS mediaFetchesPerHostPerHour`,
    )
    .bind(userId, now, Math.floor(now / HOUR), workspaceId)
    .first<PresentUse>();
  if (row === null) {
    throw new Error("a SELECT without FROM returned no row");
  }
  return row;
}
