import { getTableColumns } from "drizzle-orm";
import type { JsonObject } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import type { PostStatus } from "#core/status.ts";
import type { Db } from "#db/client.ts";
import { posts, postTargets, type StoredMediaItem } from "#db/schema.ts";
import type { TargetRun } from "./target-run.ts";

export type PostRow = typeof posts.$inferSelect;
export type TargetRow = typeof postTargets.$inferSelect;

/** What the bytes told beside the columns of a post's media item. */
interface MediaFacts {
  readonly id: string;
  readonly filename: string;
  readonly facts: JsonObject;
}

/** What will be published, read in one transaction. */
export interface PublishRun {
  readonly post: PostRow;
  readonly targets: readonly TargetRow[];
  readonly media: readonly MediaFacts[];
}

/** A post the reconciler must look at. */
export interface WatchedPost {
  readonly id: string;
  readonly version: number;
  readonly status: PostStatus;
  readonly scheduledAt: number;
  readonly platforms: readonly Platform[];
  readonly media: readonly StoredMediaItem[];
}

interface Column {
  readonly name: string;
  mapFromDriverValue(value: unknown): unknown;
}

const POST_COLUMNS = Object.entries(getTableColumns(posts));
const TARGET_COLUMNS = Object.entries(getTableColumns(postTargets));

/** A raw row (database names, JSON as text) as drizzle would have read it; the one place that vouches for the shape. */
function typed<Row>(columns: readonly (readonly [string, Column])[], raw: Record<string, unknown>): Row {
  return Object.fromEntries(
    columns.map(([key, column]) => {
      const value = raw[column.name] ?? null;
      return [key, value === null ? null : column.mapFromDriverValue(value)];
    }),
  ) as Row;
}

function planStatements(db: Db, postId: string): D1PreparedStatement[] {
  return [
    db.d1.prepare("SELECT * FROM posts WHERE id = ?").bind(postId),
    db.d1.prepare("SELECT * FROM post_targets WHERE post_id = ? ORDER BY account_id").bind(postId),
    db.d1
      .prepare(
        `SELECT m.id AS id, m.filename AS filename, m.facts AS facts
         FROM posts p, json_each(p.media) item CROSS JOIN media m ON m.id = item.value ->> 'id' WHERE p.id = ?`,
      )
      .bind(postId),
  ];
}

function readPlan(results: readonly D1Result[]): PublishRun | undefined {
  const [post, targets, media] = results as readonly D1Result<Record<string, unknown>>[];
  const row = post?.results[0];
  return (
    row && {
      post: typed<PostRow>(POST_COLUMNS, row),
      targets: (targets?.results ?? []).map((raw) => typed<TargetRow>(TARGET_COLUMNS, raw)),
      media: (media?.results ?? []).map((raw) => ({
        id: String(raw["id"]),
        filename: String(raw["filename"]),
        facts: JSON.parse(String(raw["facts"])) as JsonObject,
      })),
    }
  );
}

/** The plan as it stands, without touching it. */
export async function selectRun(db: Db, postId: string): Promise<PublishRun | undefined> {
  return readPlan(await db.d1.batch(planStatements(db, postId)));
}

/** P6 with everything it decides about, in one transaction: nobody can slip in between the claim and what is read. */
export async function claimRow(
  db: Db,
  claim: { postId: string; runId: string; now: number; notBefore: number; watchAt: number },
): Promise<PublishRun | undefined> {
  const [, ...rows] = await db.d1.batch([
    db.d1
      .prepare(
        `UPDATE posts SET status = 'publishing', run_id = ?2, watch_at = ?5, updated_at = ?3
         WHERE id = ?1 AND status = 'scheduled' AND scheduled_at <= ?3 AND scheduled_at > ?4`,
      )
      .bind(claim.postId, claim.runId, claim.now, claim.notBefore, claim.watchAt),
    ...planStatements(db, claim.postId),
  ]);
  return readPlan(rows);
}

/** P9: takes over a run whose journal is lost. */
export async function takeOverRow(
  db: Db,
  run: { postId: string; from: string | null; runId: string; watchAt: number },
): Promise<boolean> {
  const taken = await db.d1
    .prepare("UPDATE posts SET run_id = ?3, watch_at = ?4 WHERE id = ?1 AND status = 'publishing' AND run_id IS ?2")
    .bind(run.postId, run.from, run.runId, run.watchAt)
    .run();
  return taken.meta.changes === 1;
}

/** P14: ends a post that nobody could publish for too long; what an earlier run published stays true. */
export async function missRow(
  db: Db,
  miss: { postId: string; now: number; notBefore: number; error: string; line: string },
): Promise<void> {
  const due = "status = 'scheduled' AND scheduled_at <= ?2";
  await db.d1.batch([
    db.d1
      .prepare(
        `UPDATE post_targets SET state = 'failed', error = ?4, history = json_insert(history, '$[#]', json(?5)), updated_at = ?3
         WHERE post_id = ?1 AND state NOT IN (${TERMINAL_SQL}) AND EXISTS (SELECT 1 FROM posts WHERE id = ?1 AND ${due})`,
      )
      .bind(miss.postId, miss.notBefore, miss.now, miss.error, miss.line),
    db.d1
      .prepare(
        `UPDATE posts SET watch_at = NULL, finished_at = ?3, updated_at = ?3, status =
           CASE WHEN EXISTS (SELECT 1 FROM post_targets WHERE post_id = ?1 AND state = 'published')
                THEN 'partially_failed' ELSE 'failed' END
         WHERE id = ?1 AND ${due}`,
      )
      .bind(miss.postId, miss.notBefore, miss.now),
  ]);
}

const TERMINAL_SQL = "'published', 'failed', 'unconfirmed', 'skipped'";

export interface RunWrite {
  readonly postId: string;
  readonly runId: string;
  readonly now: number;
  readonly targets: readonly TargetRun[];
  /** How the post ends; undefined while it goes on. */
  readonly status?: PostStatus | undefined;
  /** The next look of the reconciler; undefined leaves it as it is. */
  readonly watchAt?: number | undefined;
}

/**
 * P11–P13 and P15: results and post in one transaction. Guarded by the run, and never over a terminal state, so that it can
 * be repeated until it is answered. Gives back the post as it stands then.
 */
export async function writeRun(db: Db, write: RunWrite): Promise<PostRow | undefined> {
  const mine = "EXISTS (SELECT 1 FROM posts WHERE id = ?1 AND run_id = ?2 AND status = 'publishing')";
  const statements: D1PreparedStatement[] = [];
  if (write.targets.length > 0) {
    statements.push(
      db.d1
        .prepare(
          `UPDATE post_targets SET state = j.value ->> 'state', attempts = j.value ->> 'attempts',
             started_at = j.value ->> 'startedAt', published_at = j.value ->> 'publishedAt',
             next_attempt_at = j.value ->> 'nextAttemptAt', remote_id = j.value ->> 'remoteId',
             remote_url = j.value ->> 'remoteUrl', error = j.value ->> 'error', progress = j.value ->> 'progress',
             history = j.value ->> 'history', updated_at = ?3
           FROM (SELECT value FROM json_each(?4)) AS j
           WHERE post_id = ?1 AND account_id = j.value ->> 'accountId' AND post_targets.state NOT IN (${TERMINAL_SQL}) AND ${mine}`,
        )
        .bind(write.postId, write.runId, write.now, JSON.stringify(write.targets.map(columnsOf))),
    );
  }
  if (write.status !== undefined) {
    statements.push(
      db.d1
        .prepare(
          `UPDATE posts SET status = ?3, finished_at = ?4, updated_at = ?4, watch_at = NULL
           WHERE id = ?1 AND run_id = ?2 AND status = 'publishing'`,
        )
        .bind(write.postId, write.runId, write.status, write.now),
    );
  } else if (write.watchAt !== undefined) {
    statements.push(
      db.d1
        .prepare("UPDATE posts SET watch_at = ?3 WHERE id = ?1 AND run_id = ?2 AND status = 'publishing'")
        .bind(write.postId, write.runId, write.watchAt),
    );
  }
  const results = await db.d1.batch<Record<string, unknown>>([
    ...statements,
    db.d1.prepare("SELECT * FROM posts WHERE id = ?").bind(write.postId),
  ]);
  const row = results.at(-1)?.results[0];
  return row && typed<PostRow>(POST_COLUMNS, row);
}

/** JSON columns travel as text inside the one JSON parameter, so that they arrive exactly as they left. */
function columnsOf(run: TargetRun) {
  // What the platform has and works on is not in doubt, and must not be shown as if it were.
  const state = run.state === "verifying" && run.acceptedAt !== null ? "processing" : run.state;
  return {
    accountId: run.accountId,
    state,
    attempts: run.attempts,
    startedAt: run.startedAt,
    publishedAt: run.publishedAt,
    nextAttemptAt: state === "retry_wait" || state === "verifying" ? run.wakeAt : null,
    remoteId: run.remoteId,
    remoteUrl: run.remoteUrl,
    error: run.error && JSON.stringify(run.error),
    progress: run.progress === null ? null : JSON.stringify(run.progress),
    history: JSON.stringify(run.history),
  };
}

/** One row read when nothing is due: the index holds only what can be overdue. */
export async function selectWatched(db: Db, now: number, limit: number): Promise<WatchedPost[]> {
  const { results } = await db.d1
    .prepare(
      `SELECT id, version, status, scheduled_at, platforms, media FROM posts
       WHERE watch_at <= ? ORDER BY watch_at LIMIT ?`,
    )
    .bind(now, limit)
    .all<{ id: string; version: number; status: PostStatus; scheduled_at: number; platforms: string; media: string }>();
  return results.map((row) => ({
    id: row.id,
    version: row.version,
    status: row.status,
    scheduledAt: row.scheduled_at,
    platforms: JSON.parse(row.platforms) as Platform[],
    media: JSON.parse(row.media) as StoredMediaItem[],
  }));
}

/** The acknowledgement of an arming hits only the version it was for. */
export async function pushWatch(
  db: Db,
  pushes: readonly {
    readonly id: string;
    readonly version: number;
    readonly status: PostStatus;
    readonly watchAt: number;
  }[],
): Promise<void> {
  await db.d1
    .prepare(
      `UPDATE posts SET watch_at = j.value ->> 'watchAt' FROM (SELECT value FROM json_each(?)) AS j
       WHERE id = j.value ->> 'id' AND version = j.value ->> 'version' AND status = j.value ->> 'status'`,
    )
    .bind(JSON.stringify(pushes))
    .run();
}

/** Deletes posts cancelled before `before`, children first; returns how many. */
export async function deleteCancelled(db: Db, before: number, limit: number): Promise<number> {
  const { results } = await db.d1
    .prepare("SELECT id FROM posts WHERE status = 'cancelled' AND updated_at < ? ORDER BY updated_at LIMIT ?")
    .bind(before, limit)
    .all<{ id: string }>();
  if (results.length === 0) {
    return 0;
  }
  const ids = JSON.stringify(results.map((row) => row.id));
  const still = "IN (SELECT p.id FROM posts p, json_each(?) j WHERE p.id = j.value AND p.status = 'cancelled')";
  const deleted = await db.d1.batch([
    db.d1.prepare(`DELETE FROM post_targets WHERE post_id ${still}`).bind(ids),
    db.d1.prepare(`DELETE FROM post_media WHERE post_id ${still}`).bind(ids),
    db.d1.prepare(`DELETE FROM posts WHERE id ${still}`).bind(ids),
  ]);
  return deleted[2]?.meta.changes ?? 0;
}

/** Forgets used tokens issued before `hour`; returns how many. */
export async function deleteConfirmations(db: Db, hour: number, limit: number): Promise<number> {
  const deleted = await db.d1
    .prepare(
      `DELETE FROM confirmations WHERE (issued_hour, token_hash) IN
         (SELECT issued_hour, token_hash FROM confirmations WHERE issued_hour < ? LIMIT ?)`,
    )
    .bind(hour, limit)
    .run();
  return deleted.meta.changes;
}
