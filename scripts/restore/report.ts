import { openDb } from "#db/client.ts";
import { readService } from "#restore/store-service.ts";
import { checkBackup } from "../backup/folder.ts";
import type { Installation } from "../backup/installation.ts";
import type { Goal, Progress } from "./progress.ts";

async function rowsOf<T>({ database }: Installation, sql: string, ...values: unknown[]): Promise<T[]> {
  return (
    await database
      .prepare(sql)
      .bind(...values)
      .all<T>()
  ).results;
}

interface Present {
  readonly users: number;
  readonly made: number;
  readonly changed: number;
  readonly ended: number;
  readonly openPosts: number;
}

/** What the database knows now; null where it has no tables. */
async function readPresent(installation: Installation, at: number): Promise<Present | null> {
  const tables = await rowsOf(installation, "SELECT 1 FROM sqlite_master WHERE name = 'posts'");
  if (tables.length === 0) {
    return null;
  }
  const [present] = await rowsOf<Present>(
    installation,
    `SELECT (SELECT count(*) FROM users) AS users, coalesce(sum(created_at > ?1), 0) AS made, coalesce(sum(created_at <= ?1 AND updated_at > ?1), 0) AS changed,
       coalesce(sum(finished_at > ?1), 0) AS ended, coalesce(sum(status IN ('scheduled', 'publishing')), 0) AS openPosts FROM posts`,
    at,
  );
  return present ?? null;
}

/** Tells what the restore will do. */
export async function describeLoss(
  installation: Installation,
  goal: Goal,
  { discardsPresent }: { readonly discardsPresent: boolean },
): Promise<string[]> {
  const at = Date.parse(goal.at);
  const present = await readPresent(installation, at);
  const backup = goal.kind === "backup" ? await checkBackup(goal.folder) : null;
  const source = goal.kind === "backup" ? `the backup ${goal.folder}` : `Time Travel, bookmark ${goal.bookmark}`;
  const lines = [
    `${installation.name} goes back to ${goal.at}, with ${source}.`,
    ...(backup === null
      ? []
      : [
          `The backup has ${backup.database.rows["posts"] ?? 0} posts and needs the keys ${backup.tokenKeyIds.join(", ") || "of nobody"}.`,
        ]),
    "",
    "Publishing stops until it is done; reads and previews go on. Everybody who is signed in while it runs may have to sign in again.",
  ];
  if (present === null || present.users === 0 || discardsPresent) {
    return [
      ...lines,
      discardsPresent ? "What was done since is NOT merged:" : "The database has no users, so nothing can be merged:",
      "- posts that were made since are gone; nothing of them is sent",
      "- posts that were due since are looked for at their platforms: found ones are recorded, the others are paused, none is sent by itself",
      "- posts that are due later go on where their object still holds the same version; the others are paused",
      "- keys that were revoked since, and apps, work again: look through them; all sessions end",
      "- logins whose tokens were renewed since may have to be connected again",
    ];
  }
  return [
    ...lines,
    `Merged afterwards, so not lost: ${present.made} posts that were made since, ${present.changed} that were changed, ${present.ended} that ended; cancels, edits, used tokens, revoked keys.`,
    "Where the post is the same version in both, the earlier state is taken: that is what a restore repairs. Rows that are missing now come back.",
    "What a user removed since (passkeys, webhooks, apps, media that no post needs) stays removed.",
  ];
}

/** Tells what the restore did. */
export async function describeOutcome(
  installation: Installation,
  { startedAt }: Progress,
  isReleased: boolean,
): Promise<string[]> {
  const { held, epoch } = await readService(openDb(installation.database));
  const posts = await rowsOf<{ status: string; reason: string | null; n: number }>(
    installation,
    `SELECT status, iif(paused_reason = 'restored', 'restored', NULL) AS reason, count(*) AS n FROM posts GROUP BY 1, 2 ORDER BY 1, 2`,
  );
  const [logins] = await rowsOf<{ n: number }>(
    installation,
    "SELECT count(*) AS n FROM connections WHERE status = 'needs_reconnect' AND sealed_tokens IS NOT NULL",
  );
  return [
    isReleased
      ? `Publishing again, epoch ${epoch}.`
      : `Still ${held ?? "publishing"}: the cron goes on with it. On this machine the service has to run; \`npm run service -- status\` tells.`,
    ...posts.map(({ status, reason, n }) => `  ${status}${reason === null ? "" : ` (${reason})`}: ${n}`),
    `  logins that must be connected again: ${logins?.n ?? 0}`,
    `Began at ${new Date(startedAt).toISOString()}.`,
  ];
}
