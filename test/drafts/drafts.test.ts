import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { DAY, MINUTE } from "#core/clock.ts";
import { createDraft, deleteDraft, deleteIdleDrafts, getDraft, listDrafts, updateDraft } from "#drafts/index.ts";
import { sweepMedia } from "#media/index.ts";
import { approveRequest, confirmSchedule, previewSchedule } from "#confirming/index.ts";
import { createParties } from "../confirming/approvals/approval-context.ts";
import {
  createAccount,
  createMedia,
  createTestContext,
  freezeClock,
  NOON,
  oneHourAhead,
  refusalOf,
  refusalsIn,
  type TestContext,
} from "../posts/test-context.ts";

beforeEach(() => freezeClock());

const preview = async (ctx: TestContext, draft: { readonly id: string; readonly version: number }) =>
  previewSchedule(ctx, {
    caption: `Hello ${draft.id}`,
    scheduledAt: oneHourAhead(ctx),
    accountIds: [await createAccount(ctx)],
    draft,
  });

const exists = (ctx: TestContext, id: string) =>
  getDraft(ctx, { id }).then(
    () => true,
    () => false,
  );

async function fill(ctx: TestContext, count: number): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ?4)
     INSERT INTO drafts (id, user_id, workspace_id, version, content, media_ids, created_at, updated_at)
     SELECT ?2 || value, ?1, ?2, 1, '{}', '[]', ?3, ?3 FROM n`,
  )
    .bind(ctx.actor.userId, ctx.actor.workspaceId, NOON, count)
    .run();
}

test("of drafts created in parallel a workspace keeps a thousand", async () => {
  const ctx = createTestContext();
  await fill(ctx, 996);
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => createDraft(ctx, { content: {} })));
  expect(refusalsIn(results).map(({ code }) => code)).toEqual(Array.from({ length: 4 }, () => "too_many_drafts"));
  const { drafts } = await listDrafts(ctx, { limit: 1, offset: 0 });
  await deleteDraft(ctx, { id: drafts[0]!.id });
  await createDraft(ctx, { content: {} });
});

describe("the confirm of a draft's preview", () => {
  test("deletes the draft with the post's transaction", async () => {
    const ctx = createTestContext();
    const draft = await createDraft(ctx, { content: { caption: "Hello" } });
    const { confirmationToken } = await preview(ctx, draft);
    expect(await exists(ctx, draft.id)).toBe(true);
    await confirmSchedule(ctx, { confirmationToken });
    expect(await exists(ctx, draft.id)).toBe(false);
    expect((await refusalOf(confirmSchedule(ctx, { confirmationToken }))).code).toBe("token_already_used");
  });

  test("leaves a draft that was changed since, and does not need one that is gone", async () => {
    const ctx = createTestContext();
    const changed = await createDraft(ctx, { content: { caption: "Hello" } });
    const first = await preview(ctx, changed);
    await updateDraft(ctx, { id: changed.id, version: 1, changes: { caption: "Better" } });
    await confirmSchedule(ctx, first);
    expect(await getDraft(ctx, { id: changed.id })).toMatchObject({ version: 2, content: { caption: "Better" } });
    const deleted = await createDraft(ctx, { content: {} });
    const second = await preview(ctx, deleted);
    await deleteDraft(ctx, { id: deleted.id });
    await confirmSchedule(ctx, second);
  });

  test("leaves the draft when nothing is written", async () => {
    const ctx = createTestContext();
    const draft = await createDraft(ctx, { content: {} });
    const { confirmationToken } = await preview(ctx, draft);
    await env.DB.prepare("UPDATE accounts SET status = 'needs_reconnect' WHERE workspace_id = ?")
      .bind(ctx.actor.workspaceId)
      .run();
    expect((await refusalOf(confirmSchedule(ctx, { confirmationToken }))).code).toBe("validation_failed");
    expect(await exists(ctx, draft.id)).toBe(true);
  });

  test("waits for the person who approves it", async () => {
    const { agent, person } = await createParties();
    const draft = await createDraft(agent, { content: { caption: "Hello" } });
    const { confirmationToken, preview: shown } = await preview(agent, draft);
    const { approval } = await refusalOf(confirmSchedule(agent, { confirmationToken }));
    expect(await exists(agent, draft.id)).toBe(true);
    await approveRequest(person, { id: approval?.id ?? "", planHash: shown.planHash });
    expect(await exists(agent, draft.id)).toBe(false);
  });

  test("hashes the post as without a draft", async () => {
    const ctx = createTestContext();
    const account = await createAccount(ctx);
    const input = { caption: "Hello", scheduledAt: oneHourAhead(ctx), accountIds: [account] };
    const draft = await createDraft(ctx, { content: {} });
    const [without, of] = [await previewSchedule(ctx, input), await previewSchedule(ctx, { ...input, draft })];
    expect(of.preview.planHash).toBe(without.preview.planHash);
  });
});

test("is deleted after a year without a change", async () => {
  await env.DB.prepare("DELETE FROM drafts").run();
  const ctx = createTestContext();
  const [idle, changed] = [await createDraft(ctx, { content: {} }), await createDraft(ctx, { content: {} })];
  vi.setSystemTime(NOON + DAY);
  await updateDraft(ctx, { id: changed.id, version: 1, changes: { caption: "Still wanted" } });
  vi.setSystemTime(NOON + 365 * DAY);
  await deleteIdleDrafts(ctx);
  expect(await exists(ctx, idle.id)).toBe(true);
  vi.setSystemTime(NOON + 365 * DAY + 1);
  expect(await deleteIdleDrafts(ctx)).toBe(1);
  expect([await exists(ctx, idle.id), await exists(ctx, changed.id)]).toEqual([false, true]);
});

describe("media that a draft names", () => {
  const stateOf = async (id: string) =>
    (await env.DB.prepare("SELECT state FROM media WHERE id = ?").bind(id).first<{ state: string }>())?.state ?? null;

  async function createDueMedia(ctx: TestContext): Promise<{ readonly id: string; readonly url: string }> {
    const item = await createMedia(ctx);
    await env.DB.prepare("UPDATE media SET sweep_at = ?2 WHERE id = ?1").bind(item.id, NOON).run();
    return item;
  }

  async function sweepTwice(ctx: TestContext): Promise<void> {
    await sweepMedia(ctx);
    vi.setSystemTime(Date.now() + 11 * MINUTE);
    await sweepMedia(ctx);
  }

  test("are kept anywhere in it, as long as it is there", async () => {
    const ctx = createTestContext();
    const [ofPost, ofTarget, unnamed] = [
      await createDueMedia(ctx),
      await createDueMedia(ctx),
      await createDueMedia(ctx),
    ];
    const content = {
      media_urls: [ofPost.url],
      targets: [{ media_items: [{ url: ofTarget.url, type: "image" }, 7] }, null],
      caption: "https://elsewhere.example.net/media/a",
    };
    const { id } = await createDraft(ctx, { content });
    await sweepTwice(ctx);
    expect([await stateOf(ofPost.id), await stateOf(ofTarget.id), await stateOf(unnamed.id)]).toEqual([
      "ready",
      "ready",
      null,
    ]);
    await updateDraft(ctx, { id, version: 1, changes: { media_urls: null } });
    vi.setSystemTime(NOON + 31 * DAY);
    await sweepTwice(ctx);
    expect([await stateOf(ofPost.id), await stateOf(ofTarget.id)]).toEqual([null, "ready"]);
    await deleteDraft(ctx, { id });
    vi.setSystemTime(NOON + 62 * DAY);
    await sweepTwice(ctx);
    expect(await stateOf(ofTarget.id)).toBeNull();
  });

  test("are kept by the id of an upload with the same bytes, and not by somebody else's draft", async () => {
    const [ctx, stranger] = [createTestContext(), createTestContext()];
    const [named, notMine] = [await createDueMedia(ctx), await createDueMedia(ctx)];
    const upload = crypto.randomUUID();
    await env.DB.prepare(
      `INSERT INTO uploads (id, media_id, user_id, workspace_id, content_type, size_bytes, part_size_bytes, parts, state, created_at, expires_at)
       VALUES (?1, ?2, ?3, ?4, 'image/jpeg', 1, 1, '{}', 'complete', 1, ?5)`,
    )
      .bind(upload, named.id, ctx.actor.userId, ctx.actor.workspaceId, NOON)
      .run();
    await createDraft(ctx, { content: { media_urls: [named.url.replace(named.id, upload)] } });
    await createDraft(stranger, { content: { media_urls: [notMine.url] } });
    await sweepTwice(ctx);
    expect([await stateOf(named.id), await stateOf(notMine.id)]).toEqual(["ready", null]);
  });
});
