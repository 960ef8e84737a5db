import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { DAY, HOUR } from "#core/clock.ts";
import { openDb } from "#db/client.ts";
import { sweepPosts } from "#posting/arming/find-overdue-posts.ts";

const NOW = Date.parse("2030-01-01T12:00:00Z");
const services = { db: openDb(env.DB), clock: { now: () => NOW } };

async function post(status: string, updatedAt: number): Promise<string> {
  const id = crypto.randomUUID();
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, post_type, caption, media, platforms, plan_hash,
         confirm_hash, created_via, created_at, updated_at) VALUES (?1, 'w', 'u', ?2, 0, 1, 'text', 'c', '[]', '["x"]', '', '', 'api', 0, ?3)`,
    ).bind(id, status, updatedAt),
    env.DB.prepare(
      `INSERT INTO post_targets (post_id, account_id, platform, username, effective_caption, options, state, due_at, history, updated_at)
       VALUES (?, 'a', 'x', 'ada', 'c', '{}', 'pending', 0, '[]', 0)`,
    ).bind(id),
    env.DB.prepare("INSERT INTO post_media (media_id, post_id) VALUES ('m', ?)").bind(id),
  ]);
  return id;
}

async function traces(id: string): Promise<number> {
  const row = await env.DB.prepare(
    `SELECT (SELECT count(*) FROM posts WHERE id = ?1) + (SELECT count(*) FROM post_targets WHERE post_id = ?1)
       + (SELECT count(*) FROM post_media WHERE post_id = ?1) AS traces`,
  )
    .bind(id)
    .first<{ traces: number }>();
  return row?.traces ?? 0;
}

async function confirmation(issuedAt: number): Promise<string> {
  const hash = crypto.randomUUID();
  await env.DB.prepare("INSERT INTO confirmations VALUES (?, ?, 'u', 'n', '[]', 0, 0)")
    .bind(Math.floor(issuedAt / HOUR), hash)
    .run();
  return hash;
}

describe("the sweep", () => {
  test("removes a cancelled post after 30 days with everything that hangs on it, and nothing else", async () => {
    const old = await post("cancelled", NOW - 31 * DAY);
    const recent = await post("cancelled", NOW - 29 * DAY);
    const failed = await post("failed", NOW - 400 * DAY);
    expect(await sweepPosts(services)).toMatchObject({ posts: 1 });
    expect(await traces(old)).toBe(0);
    expect(await traces(recent)).toBe(3);
    expect(await traces(failed)).toBe(3);
  });

  test("forgets used tokens after two days", async () => {
    const old = await confirmation(NOW - 3 * DAY);
    const recent = await confirmation(NOW - DAY);
    expect(await sweepPosts(services)).toMatchObject({ confirmations: 1 });
    const { results } = await env.DB.prepare("SELECT token_hash FROM confirmations WHERE token_hash IN (?, ?)")
      .bind(old, recent)
      .all();
    expect(results).toEqual([{ token_hash: recent }]);
  });

  test("does nothing when there is nothing", async () => {
    expect(await sweepPosts(services)).toEqual({ posts: 0, confirmations: 0 });
  });
});
