import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { DAY, HOUR } from "#core/clock.ts";
import { openDb } from "#db/client.ts";
import { deleteExpiredPosts } from "#post-status/cleanup/delete-cancelled-posts.ts";

const NOW = Date.parse("2030-01-01T12:00:00Z");
const services = { db: openDb(env.DB), clock: { now: () => NOW } };

async function insertPost(status: string, updatedAt: number): Promise<string> {
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

async function countRows(id: string): Promise<number> {
  const row = await env.DB.prepare(
    `SELECT (SELECT count(*) FROM posts WHERE id = ?1) + (SELECT count(*) FROM post_targets WHERE post_id = ?1)
       + (SELECT count(*) FROM post_media WHERE post_id = ?1) AS count`,
  )
    .bind(id)
    .first<{ count: number }>();
  return row?.count ?? 0;
}

async function insertConfirmation(issuedAt: number): Promise<string> {
  const hash = crypto.randomUUID();
  await env.DB.prepare("INSERT INTO confirmations VALUES (?, ?, 'u', 'n', '[]', 0, 0)")
    .bind(Math.floor(issuedAt / HOUR), hash)
    .run();
  return hash;
}

describe("deleteExpiredPosts", () => {
  test("deletes a post 30 days after it was cancelled, with its targets and media references, and nothing else", async () => {
    const old = await insertPost("cancelled", NOW - 31 * DAY);
    const recent = await insertPost("cancelled", NOW - 29 * DAY);
    const failed = await insertPost("failed", NOW - 400 * DAY);
    expect(await deleteExpiredPosts(services)).toMatchObject({ posts: 1 });
    expect(await countRows(old)).toBe(0);
    expect(await countRows(recent)).toBe(3);
    expect(await countRows(failed)).toBe(3);
  });

  test.for(["published", "unconfirmed"])(
    "never deletes the record of a %s target",
    async (state, { expect: check }) => {
      const id = await insertPost("cancelled", NOW - 400 * DAY);
      await env.DB.prepare("UPDATE post_targets SET state = ? WHERE post_id = ?").bind(state, id).run();
      check(await deleteExpiredPosts(services)).toMatchObject({ posts: 0 });
      check(await countRows(id)).toBe(3);
    },
  );

  test("deletes the records of used tokens after two days", async () => {
    const old = await insertConfirmation(NOW - 3 * DAY);
    const recent = await insertConfirmation(NOW - DAY);
    expect(await deleteExpiredPosts(services)).toMatchObject({ confirmations: 1 });
    const { results } = await env.DB.prepare("SELECT token_hash FROM confirmations WHERE token_hash IN (?, ?)")
      .bind(old, recent)
      .all();
    expect(results).toEqual([{ token_hash: recent }]);
  });

  test("deletes nothing when nothing is old enough", async () => {
    expect(await deleteExpiredPosts(services)).toEqual({
      posts: 0,
      confirmations: 0,
      approvals: 0,
      expiredApprovals: 0,
    });
  });
});
