import type { JsonObject } from "#core/json.ts";
import { type PostStatus, type PostType, postTypeOf } from "#core/status.ts";
import { batch, type StatementResult, type Statement, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { columnsOf, readRow } from "#db/raw-row.ts";
import { posts, postTargets } from "#db/schema.ts";
import { NEXT_DUE_AT_SQL } from "#arming/store-next-due-at.ts";
import { NOT_HELD } from "#restore/store-service.ts";
import type { TargetRun } from "./target-run.ts";

export type PublishRunPost = typeof posts.$inferSelect;
export type PublishRunTarget = typeof postTargets.$inferSelect;

/** The columns of a media item that the post itself does not store. */
interface PublishRunMedia {
  readonly id: string;
  readonly filename: string;
  readonly facts: JsonObject;
}

/** Everything that a run publishes, read in one transaction. */
export interface PublishRun {
  readonly post: PublishRunPost;
  readonly targets: readonly PublishRunTarget[];
  readonly media: readonly PublishRunMedia[];
  /** Whether the database was restored and is not released yet. */
  readonly held: boolean;
}

/** The type of post for one target. With own media it may differ from the type of the post. */
export function postTypeOfTarget({ post }: PublishRun, { media }: Pick<PublishRunTarget, "media">): PostType {
  return media === null ? post.postType : postTypeOf(media);
}

export function mediaOfTarget({ post }: PublishRun, target: Pick<PublishRunTarget, "media">): PublishRunPost["media"] {
  return target.media ?? post.media;
}

const POST_TABLE_COLUMNS = columnsOf(posts);
const TARGET_TABLE_COLUMNS = columnsOf(postTargets);

type RawRow = Readonly<Record<string, unknown>>;

function publishRunStatements(
  db: Db,
  postId: string,
): Readonly<Record<"post" | "targets" | "media", Statement<RawRow>>> {
  return {
    post: db.d1.prepare(`SELECT *, NOT (${NOT_HELD}) AS service_held FROM posts WHERE id = ?`).bind(postId),
    targets: db.d1.prepare("SELECT * FROM post_targets WHERE post_id = ? ORDER BY account_id").bind(postId),
    media: db.d1
      .prepare(
        `SELECT m.id AS id, m.filename AS filename, m.facts AS facts
         FROM post_media u CROSS JOIN media m ON m.id = u.media_id WHERE u.post_id = ?`,
      )
      .bind(postId),
  };
}

function readPublishRun({
  post,
  targets,
  media,
}: Readonly<Record<"post" | "targets" | "media", StatementResult<RawRow>>>): PublishRun | undefined {
  const [row] = post.results;
  return (
    row && {
      post: readRow<PublishRunPost>(POST_TABLE_COLUMNS, row),
      targets: targets.results.map((raw) => readRow<PublishRunTarget>(TARGET_TABLE_COLUMNS, raw)),
      media: media.results.map((raw) => ({
        id: String(raw["id"]),
        filename: String(raw["filename"]),
        facts: JSON.parse(String(raw["facts"])) as JsonObject,
      })),
      held: row["service_held"] === 1,
    }
  );
}

/** Reads the post of a run without claiming it. */
export async function selectPublishRun(db: Db, postId: string): Promise<PublishRun | undefined> {
  return readPublishRun(await batch(db, publishRunStatements(db, postId)));
}

/**
 * SQL that selects the accounts of a post's targets, for subqueries of other modules. Its parameter is the id of the
 * post.
 */
export const TARGET_ACCOUNTS_SQL = "SELECT account_id FROM post_targets WHERE post_id = ?";

/** A statement of another module that runs in the same round trip as the claim. */
export interface ReadAlongside {
  readonly statement: Statement<RawRow>;
  /** Called with the rows of the statement before the claim returns, even if the claim fails. */
  take(rows: readonly RawRow[]): void;
}

/**
 * Claims a post (P6). One transaction compares, sets and reads, so that no edit comes between. It refuses a held
 * database, and a row older than `version`, which a restore put back. `watch_at` stays, because most runs end before
 * it, and writing it costs an index row.
 */
export async function claimPostRow(
  db: Db,
  claim: { postId: string; runId: string; version: number; now: number; dueBy: number; notBefore: number },
  alongside?: ReadAlongside,
): Promise<PublishRun | undefined> {
  const read = await batch(db, {
    // mutant: claim-cancelled
    claimed: db.d1
      .prepare(
        `UPDATE posts SET status = 'publishing', run_id = ?2, updated_at = ?3
         WHERE id = ?1 AND status = 'scheduled' AND ${NEXT_DUE_AT_SQL} <= ?6 AND ${NEXT_DUE_AT_SQL} > ?4
           AND version >= ?5 AND ${NOT_HELD}`,
      )
      .bind(claim.postId, claim.runId, claim.now, claim.notBefore, claim.version, claim.dueBy),
    ...publishRunStatements(db, claim.postId),
    alongside: alongside?.statement,
  });
  alongside?.take(read.alongside.results);
  return readPublishRun(read);
}

/** Takes a row back that a restore put back during the run (P19). Returns whether the run owns its post again. */
export async function reclaimRow(
  db: Db,
  run: { postId: string; runId: string; version: number; watchAt: number },
): Promise<boolean> {
  const update = await db.d1
    .prepare(
      `UPDATE posts SET status = 'publishing', run_id = ?2, watch_at = ?4
       WHERE id = ?1 AND status = 'scheduled' AND version = ?3 AND ${NOT_HELD} RETURNING id`,
    )
    .bind(run.postId, run.runId, run.version, run.watchAt)
    .all();
  // Count the returned rows: `meta.changes` would also count the rows that triggers change.
  return update.results.length === 1;
}

/** Takes over a post from a run whose journal is lost (P9). Returns whether this call replaced that run. */
export async function takeOverRun(
  db: Db,
  run: { postId: string; previousRunId: string | null; runId: string; watchAt: number },
): Promise<boolean> {
  const update = await db.d1
    .prepare(
      `UPDATE posts SET run_id = ?3, watch_at = ?4 WHERE id = ?1 AND status = 'publishing' AND run_id IS ?2 AND ${NOT_HELD}`,
    )
    .bind(run.postId, run.previousRunId, run.runId, run.watchAt)
    .run();
  return update.meta.changes === 1;
}

/** Fails the open targets of a post that is more than a day late (P14). Published targets stay published. */
export async function failMissedPost(
  db: Db,
  missed: { postId: string; now: number; notBefore: number; error: string; historyEntry: string },
): Promise<void> {
  const due = `posts.status = 'scheduled' AND ${NEXT_DUE_AT_SQL} <= ?2`;
  await db.d1.batch([
    db.d1
      .prepare(
        `UPDATE post_targets SET state = 'failed', error = ?4, history = json_insert(history, '$[#]', json(?5)), updated_at = ?3
         WHERE post_id = ?1 AND state NOT IN (${TERMINAL_STATES_SQL}) AND EXISTS (SELECT 1 FROM posts WHERE id = ?1 AND ${due})`,
      )
      .bind(missed.postId, missed.notBefore, missed.now, missed.error, missed.historyEntry),
    db.d1
      .prepare(
        `UPDATE posts SET watch_at = NULL, finished_at = ?3, updated_at = ?3, status =
           CASE WHEN EXISTS (SELECT 1 FROM post_targets WHERE post_id = ?1 AND state = 'published')
                THEN 'partially_failed' ELSE 'failed' END
         WHERE id = ?1 AND ${due}`,
      )
      .bind(missed.postId, missed.notBefore, missed.now),
  ]);
}

const TERMINAL_STATES_SQL = "'published', 'failed', 'unconfirmed', 'skipped'";

export interface RunResults {
  readonly postId: string;
  readonly runId: string;
  readonly now: number;
  readonly targets: readonly TargetRun[];
  /** The final status of the post, or `scheduled` if it waits for its next try. Undefined while the run continues. */
  readonly status?: PostStatus | undefined;
  /** When (ms) the reconciler must check next. Undefined leaves it unchanged. */
  readonly watchAt?: number | undefined;
}

/**
 * Writes targets and post in one transaction: at the end (P11 to P13), for progress (P15), or before a wait for the
 * next try (P17). It checks the run id and never overwrites a final state, so it is safe to repeat. P17 gets a new
 * version, which tells it from a row that a restore put back. Returns the post, and whether its workspace records
 * events.
 */
export async function writeRunResults(
  db: Db,
  results: RunResults,
): Promise<(PublishRunPost & { readonly recordsEvents: boolean }) | undefined> {
  // mutant: results-of-any-run
  const ownsRun = "EXISTS (SELECT 1 FROM posts WHERE id = ?1 AND run_id = ?2 AND status = 'publishing')";
  const statements: D1PreparedStatement[] = [];
  if (results.targets.length > 0) {
    statements.push(
      db.d1
        .prepare(
          `UPDATE post_targets SET state = j.value ->> 'state', attempts = j.value ->> 'attempts',
             started_at = j.value ->> 'startedAt', published_at = j.value ->> 'publishedAt',
             next_attempt_at = j.value ->> 'nextAttemptAt', remote_id = j.value ->> 'remoteId',
             remote_url = j.value ->> 'remoteUrl', error = j.value ->> 'error', progress = j.value ->> 'progress',
             extras = j.value ->> 'extras', history = j.value ->> 'history', updated_at = ?3
           FROM (SELECT value FROM json_each(?4)) AS j
           WHERE post_id = ?1 AND account_id = j.value ->> 'accountId' AND post_targets.state NOT IN (${TERMINAL_STATES_SQL}) AND ${ownsRun}`,
        )
        .bind(results.postId, results.runId, results.now, JSON.stringify(results.targets.map(toTargetColumns))),
    );
  }
  if (results.status === "scheduled") {
    statements.push(
      db.d1
        .prepare(
          `UPDATE posts SET status = 'scheduled', run_id = NULL, version = version + 1, updated_at = ?3, watch_at = ?4
           WHERE id = ?1 AND run_id = ?2 AND status = 'publishing'`,
        )
        .bind(results.postId, results.runId, results.now, results.watchAt),
    );
  } else if (results.status !== undefined) {
    statements.push(
      db.d1
        .prepare(
          `UPDATE posts SET status = ?3, finished_at = iif(?3 = 'paused', NULL, ?4), updated_at = ?4, watch_at = NULL,
             paused_reason = iif(?3 = 'paused', paused_reason, NULL), version = version + (?3 = 'paused')
           WHERE id = ?1 AND run_id = ?2 AND status = 'publishing'`,
        )
        .bind(results.postId, results.runId, results.status, results.now),
    );
  } else if (results.watchAt !== undefined) {
    statements.push(
      db.d1
        .prepare("UPDATE posts SET watch_at = ?3 WHERE id = ?1 AND run_id = ?2 AND status = 'publishing'")
        .bind(results.postId, results.runId, results.watchAt),
    );
  }
  const { posts } = await batch(db, {
    statements,
    posts: withRows<Record<string, unknown>>(
      db.d1
        .prepare(
          `SELECT *, EXISTS (SELECT 1 FROM event_logs l WHERE l.workspace_id = posts.workspace_id AND l.recording) AS records_events
         FROM posts WHERE id = ?`,
        )
        .bind(results.postId),
    ),
  });
  const [row] = posts.results;
  return row && { ...readRow<PublishRunPost>(POST_TABLE_COLUMNS, row), recordsEvents: row["records_events"] === 1 };
}

/**
 * The columns of a target. JSON columns are strings inside the one JSON parameter, so that D1 stores exactly these
 * bytes.
 */
function toTargetColumns(run: TargetRun) {
  // The platform has accepted the post, so owners must not see it as uncertain.
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
    extras: run.extras ? JSON.stringify(run.extras) : null,
    history: JSON.stringify(run.history),
  };
}
