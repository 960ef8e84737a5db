import type { Services } from "#context.ts";
import type { Platform } from "#core/platform.ts";
import type { Db } from "#db/client.ts";
import type { StoredMediaItem } from "#db/schema.ts";
import { type Arming, armPosts, WATCH_UNARMED_MS } from "#posting/arming/arm-posts.ts";
import { HAS_LIVE_TARGET } from "./store-status-change.ts";

/** How many objects are armed at once; the reconciler finds the rest by `watch_at`. */
const ARM_AT_ONCE = 100;

/** The posts of these users by the index over workspace and status; ?1 is the JSON list of users. */
const THEIRS = "p.workspace_id IN (SELECT id FROM workspaces WHERE user_id IN (SELECT value FROM json_each(?1)))";

/**
 * Pauses everything that users without a subscription have scheduled, in one batch with the statement that ends the
 * subscriptions, so that neither stands without the other. What is already publishing runs to its end.
 */
export async function pauseForSubscription(
  services: Pick<Services, "db" | "clock">,
  userIds: readonly string[],
  alongside: readonly D1PreparedStatement[] = [],
): Promise<void> {
  const { db, clock } = services;
  const pause = db.d1
    .prepare(
      `UPDATE posts AS p SET status = 'paused', paused_reason = 'subscription', version = version + 1, watch_at = NULL, updated_at = ?2
       WHERE p.status = 'scheduled' AND ${THEIRS}`,
    )
    .bind(JSON.stringify(userIds), clock.now());
  await db.d1.batch([pause, ...alongside]);
}

/**
 * Lets the posts go on that only the subscription held back and whose time is still ahead. One whose accounts went away
 * meanwhile stays paused, now for that reason, so that reconnecting frees it.
 */
export async function resumeForSubscription(services: Arming, userIds: readonly string[]): Promise<void> {
  const { db, clock } = services;
  const resumed = await resume(db, userIds, clock.now());
  const soonest = resumed.toSorted((a, b) => a.scheduled_at - b.scheduled_at).slice(0, ARM_AT_ONCE);
  await armPosts(
    services,
    soonest.map((row) => ({
      id: row.id,
      version: row.version,
      status: "scheduled",
      scheduledAt: row.scheduled_at,
      platforms: JSON.parse(row.platforms) as Platform[],
      media: JSON.parse(row.media) as StoredMediaItem[],
    })),
  );
}

interface ResumedRow {
  readonly id: string;
  readonly version: number;
  readonly scheduled_at: number;
  readonly platforms: string;
  readonly media: string;
}

async function resume(db: Db, userIds: readonly string[], now: number): Promise<readonly ResumedRow[]> {
  const held = `p.status = 'paused' AND p.paused_reason = 'subscription' AND p.scheduled_at > ?2 AND ${THEIRS}`;
  const users = JSON.stringify(userIds);
  const [resumed] = await db.d1.batch<ResumedRow>([
    db.d1
      .prepare(
        `UPDATE posts AS p SET status = 'scheduled', paused_reason = NULL, version = version + 1,
           watch_at = ?2 + ${WATCH_UNARMED_MS}, updated_at = ?2
         WHERE ${held} AND ${HAS_LIVE_TARGET} RETURNING id, version, scheduled_at, platforms, media`,
      )
      .bind(users, now),
    db.d1
      .prepare(`UPDATE posts AS p SET paused_reason = 'account', version = version + 1, updated_at = ?2 WHERE ${held}`)
      .bind(users, now),
  ]);
  return resumed?.results ?? [];
}
