import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import { openDb } from "#db/client.ts";
import { selectSiblings } from "#publisher/run/store-siblings.ts";

const NOW = Date.parse("2030-01-01T12:00:00Z");
const DUE = NOW - 10 * MINUTE;
const db = { db: openDb(env.DB) }.db;

interface Row {
  readonly caption: string;
  readonly state?: string;
  readonly status?: string;
  readonly dueAt?: number;
  readonly publishedAt?: number | null;
  readonly remoteId?: string | null;
  readonly progress?: string | null;
}

async function insertTarget(accountId: string, row: Row): Promise<string> {
  const id = crypto.randomUUID();
  const { state = "published", status = "published", dueAt = DUE, publishedAt = null } = row;
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, watch_at, post_type, caption, media, platforms,
         plan_hash, confirm_hash, created_via, created_at, updated_at)
       VALUES (?1, ?1, 'u', ?2, ?3, 1, 1, 'text', 'c', '[]', '["x"]', '', '', 'api', 0, 0)`,
    ).bind(id, status, dueAt),
    env.DB.prepare(
      `INSERT INTO post_targets (post_id, account_id, platform, username, effective_caption, options, state, due_at, published_at,
         remote_id, progress, history, updated_at)
       VALUES (?, ?, 'x', 'ada', ?, '{}', ?, ?, ?, ?, ?, '[]', 0)`,
    ).bind(id, accountId, row.caption, state, dueAt, publishedAt, row.remoteId ?? null, row.progress ?? null),
  ]);
  return id;
}

async function siblingsOf(accountId: string, postId: string) {
  const siblings = await selectSiblings(db, { postId, accountId, committedAt: DUE, now: NOW });
  return siblings.toSorted((a, b) => a.caption.localeCompare(b.caption));
}

describe("the other targets that may own a post of the account", () => {
  test("are those that published since then, and those whose outcome is not known", async () => {
    const account = crypto.randomUUID();
    const own = await insertTarget(account, { caption: "own", state: "pending", status: "publishing" });
    await insertTarget(account, { caption: "a published", publishedAt: NOW - MINUTE, remoteId: "1" });
    await insertTarget(account, { caption: "b unconfirmed", state: "unconfirmed", status: "failed" });
    await insertTarget(account, { caption: "c running", state: "pending", status: "publishing" });
    const pins = '{"pins":[{"board":"1","pin":"2"}]}';
    await insertTarget(account, { caption: "d partly", state: "failed", status: "failed", progress: pins });
    await insertTarget(account, { caption: "e late", dueAt: DUE - 20 * HOUR, publishedAt: NOW, remoteId: "3" });
    expect(await siblingsOf(account, own)).toEqual([
      { caption: "a published", remoteId: "1", progress: null },
      { caption: "b unconfirmed", remoteId: null, progress: null },
      { caption: "c running", remoteId: null, progress: null },
      { caption: "d partly", remoteId: null, progress: { pins: [{ board: "1", pin: "2" }] } },
      { caption: "e late", remoteId: "3", progress: null },
    ]);
  });

  test("are not those that published earlier, failed, were never sent, or belong to another account", async () => {
    const account = crypto.randomUUID();
    const own = await insertTarget(account, { caption: "own", state: "pending", status: "publishing" });
    await insertTarget(account, { caption: "earlier", publishedAt: DUE - HOUR, remoteId: "1", dueAt: DUE - HOUR });
    await insertTarget(account, { caption: "failed", state: "failed", status: "failed" });
    await insertTarget(account, { caption: "skipped", state: "skipped", status: "failed" });
    await insertTarget(account, { caption: "cancelled", state: "pending", status: "cancelled" });
    await insertTarget(account, { caption: "future", state: "pending", status: "scheduled", dueAt: NOW + DAY });
    await insertTarget(crypto.randomUUID(), { caption: "other account", publishedAt: NOW, remoteId: "2" });
    expect(await siblingsOf(account, own)).toEqual([]);
  });
});
