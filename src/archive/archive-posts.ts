import { type Db } from "#db/client.ts";
import type { Services } from "#context.ts";
import { DAY } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import { log } from "#core/log.ts";
import { limitsFor } from "#core/plan.ts";
import { partKey, writePart } from "./part-file.ts";
import {
  commitPart,
  readWholePosts,
  selectArchivable,
  selectWorkspaces,
  type WorkspaceToArchive,
} from "./store-move.ts";
import { readProgress, saveProgress } from "./store-progress.ts";
import { sweepOrphans } from "./sweep-orphans.ts";
import { ARCHIVED_STATUSES, type ArchivedPost } from "./types.ts";

type ArchiveServices = Pick<Services, "bucket" | "clock" | "config" | "db" | "ids">;

const POSTS_PER_PART = 1000;
const POSTS_PER_READ = 100;
/**
 * The largest text of an archive file (a part) in characters. A part is held in memory whole, when it is written and
 * when it is read.
 */
const TEXT_PER_PART = 4 * 1024 * 1024;
const WORKSPACES_PER_RUN = 100;
/**
 * Posts scheduled for the end of a month finish in the next month. The archive waits for them, so that a month has few
 * files.
 */
const MONTH_END_MS = 3 * DAY;
/** How many parts one cron run moves at most. A second limit is the number of posts. */
const PARTS_PER_RUN = 20;
const POSTS_PER_RUN = 2000;

/** How many posts and files one cron run has moved to the archive. */
export interface ArchiveRun {
  readonly posts: number;
  readonly parts: number;
  readonly orphans: number;
}

/**
 * Moves posts to the archive whose whole month is older than the plan's retention. Each cron run visits a limited
 * number of workspaces, and all of them once a day. Safe to interrupt, to repeat and to run in parallel. Null if there
 * was nothing to check.
 */
export async function archivePosts(services: ArchiveServices): Promise<ArchiveRun | null> {
  const { clock } = services;
  const db = services.db;
  const progress = await readProgress(db);
  const today = Math.floor(clock.now() / DAY);
  if (progress.isHeld || progress.day >= today) {
    return null;
  }
  const workspaces = await selectWorkspaces(db, progress.after, WORKSPACES_PER_RUN);
  const run = { posts: 0, parts: 0 };
  let after = progress.after;
  let isInterrupted = false;
  for (const workspace of workspaces) {
    isInterrupted = !(await archiveWorkspace(services, workspace, run));
    if (isInterrupted) {
      break;
    }
    after = workspace.id;
  }
  const isLast = !isInterrupted && workspaces.length < WORKSPACES_PER_RUN;
  const range = { after: progress.after, to: isLast ? null : after };
  const orphans = range.to === progress.after ? 0 : await sweepOrphans(services, range);
  await saveProgress(db, progress, isLast ? { day: today, after: "" } : { day: progress.day, after });
  return { ...run, orphans };
}

/**
 * Moves the old posts of a workspace; false if the run's limit came first. A failure is logged, so that it does not
 * stop other workspaces.
 */
async function archiveWorkspace(
  services: ArchiveServices,
  workspace: WorkspaceToArchive,
  run: { posts: number; parts: number },
): Promise<boolean> {
  const { config, clock } = services;
  const isTrial = config.planForAll === null && workspace.subscriptionStatus === "trialing";
  const plan = config.planForAll ?? workspace.plan ?? "starter";
  const { archiveAfterDays } = limitsFor({ plan, isTrial, mustProveEmail: false }, config.limitOverrides);
  const unchangedSince = clock.now() - archiveAfterDays * DAY;
  const until = startOfMonth(unchangedSince - MONTH_END_MS);
  if (workspace.oldestAt === null || workspace.oldestAt >= until) {
    return true;
  }
  try {
    let from = workspace.oldestAt;
    for (;;) {
      if (run.parts >= PARTS_PER_RUN || run.posts >= POSTS_PER_RUN) {
        return false;
      }
      const part = await archivePart(services, workspace.id, { unchangedSince, from, until });
      if (part === null) {
        return true;
      }
      if (!part.isMoved) {
        // The posts could not be moved: somebody changed one of them, or a parallel run moved them. The next run tries
        // again.
        return false;
      }
      run.parts += 1;
      run.posts += part.posts;
      from = part.lastAt;
    }
  } catch (error) {
    log("error", "archive.failed", {
      workspace: workspace.id,
      error: error instanceof Error ? error.name : typeof error,
    });
    return true;
  }
}

/** Moves the oldest posts of a month to one archive file. Null if the month has no post left to move. */
async function archivePart(
  services: ArchiveServices,
  workspaceId: string,
  range: { readonly unchangedSince: number; readonly from: number; readonly until: number },
): Promise<{ readonly isMoved: boolean; readonly posts: number; readonly lastAt: number } | null> {
  const { bucket, ids, clock } = services;
  const db = services.db;
  const [first] = await selectArchivable(db, workspaceId, range, 1);
  if (first === undefined) {
    return null;
  }
  const month = { ...range, from: first.scheduled_at, until: startOfNextMonth(first.scheduled_at) };
  const found = await selectArchivable(db, workspaceId, month, POSTS_PER_PART);
  const posts = await readPosts(
    db,
    found.map(({ id }) => id),
  );
  const times = posts.map(({ post }) => post.scheduled_at);
  const [firstAt, lastAt] = [times[0], times.at(-1)];
  if (firstAt === undefined || lastAt === undefined) {
    return { isMoved: false, posts: 0, lastAt: range.from };
  }
  const [published = 0, partially_failed = 0, failed = 0] = ARCHIVED_STATUSES.map(
    (status) => posts.filter(({ post }) => post.status === status).length,
  );
  const part = { workspaceId, id: ids.uuid(), firstAt, lastAt, counts: { published, partially_failed, failed } };
  const key = partKey(part);
  await failpoint("archive.before_part");
  const sizeBytes = await writePart(services, key, posts);
  await failpoint("archive.after_part");
  const userId = String(posts[0]?.post["user_id"]);
  const isMoved = await commitPart(db, { ...part, userId, sizeBytes, createdAt: clock.now() }, posts);
  await failpoint("archive.after_commit");
  if (!isMoved) {
    await bucket.delete(key);
  }
  return { isMoved, posts: posts.length, lastAt };
}

async function readPosts(db: Db, ids: readonly string[]): Promise<ArchivedPost[]> {
  const posts: ArchivedPost[] = [];
  let length = 0;
  for (let start = 0; start < ids.length && length < TEXT_PER_PART; start += POSTS_PER_READ) {
    const read = await readWholePosts(db, ids.slice(start, start + POSTS_PER_READ));
    posts.push(...read);
    length += JSON.stringify(read).length;
  }
  return posts;
}

function startOfMonth(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

function startOfNextMonth(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}
