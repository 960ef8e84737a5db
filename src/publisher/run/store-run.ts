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

/** The columns of a media row that the post does not store itself. */
interface PublishRunMedia {
  readonly id: string;
  readonly filename: string;
  readonly facts: JsonObject;
}

/** Everything a run publishes, read in one transaction. */
export interface PublishRun {
  readonly post: PublishRunPost;
  readonly targets: readonly PublishRunTarget[];
  readonly media: readonly PublishRunMedia[];
  /** The database was restored and not yet released. */
  readonly held: boolean;
}

/** A target with own media may have another type than the post. */
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

/** Reads without claiming. */
export async function selectPublishRun(db: Db, postId: string): Promise<PublishRun | undefined> {
  return readPublishRun(await batch(db, publishRunStatements(db, postId)));
}

/** Selects the accounts of a post's targets; other modules use it as a subquery. Its parameter is the id of the post. */
export const TARGET_ACCOUNTS_SQL = "SELECT account_id FROM post_targets WHERE post_id = ?";

/** A statement of another module that runs in the same trip as the claim. */
export interface ReadAlongside {
  readonly statement: Statement<RawRow>;
  /** Called with its rows before the claim returns, even if the claim fails. */
  take(rows: readonly RawRow[]): void;
}

/**
 * P6 (claim): compare-and-set and read are one transaction, so that no edit comes between them. It refuses a held database and a row
 * older than `version`: a restore put them back. It leaves `watch_at` alone: most runs end before it, and writing it would cost an index row.
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

/** P19 (a restore put the row back under a run): returns whether the run owns its post again. */
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
  // Not `meta.changes`, which also counts the rows that the triggers of a new status change.
  return update.results.length === 1;
}

/** P9 (take-over): returns whether this call replaced the run whose journal is lost. */
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

/** P14 (more than a day late): fails the open targets; published ones stay published. */
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
  /** The final status of the post, or `scheduled` when it waits for its next try; undefined while the run continues. */
  readonly status?: PostStatus | undefined;
  /** When the reconciler must check next; undefined leaves it unchanged. */
  readonly watchAt?: number | undefined;
}

/**
 * P11 to P13 (the post ends), P15 (progress) and P17 (waits for its next try): writes targets and post in one transaction. The run id
 * guards it and it never overwrites a terminal state, so it is safe to repeat. P17 gets a new version, so that nobody confuses it with a
 * row that a restore put back. Returns the post after the write, and whether its workspace records events.
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

/** JSON columns are strings inside the one JSON parameter, so that D1 stores exactly these bytes. */
function toTargetColumns(run: TargetRun) {
  // The platform has accepted it, so owners must not see it as uncertain.
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
