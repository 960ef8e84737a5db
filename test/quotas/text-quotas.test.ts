import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { MAX_STORED_LENGTH } from "#api/idempotency.ts";
import { approveRequest } from "#confirming/approvals/approve.ts";
import { confirmEdit, confirmSchedule, previewEdit, previewSchedule } from "#confirming/index.ts";
import { MAX_PLAN_BYTES } from "#confirming/token/confirmation-token.ts";
import { HOUR } from "#core/clock.ts";
import {
  limitsFor,
  type PlanLimits,
  PLANS,
  type SubscriptionStatus,
  TRIAL_DAYS,
  TRIAL_EVENT_LOG,
  TRIAL_STORED_ANSWERS,
} from "#core/plan.ts";
import { SHORT_PLAN_BYTES } from "#planning/plan/stored-bytes.ts";
import type { EditInput } from "#planning/plan/types.ts";
import { annotatePost } from "#post-status/index.ts";
import { SHORT_ANNOTATIONS_BYTES } from "#post-status/status/annotate-post.ts";
import { changeByActor, MAX_CHANGES } from "#posts/rows/change-record.ts";
import { createDraft, deleteDraft, updateDraft } from "#drafts/index.ts";
import { wakeSenders } from "#webhooks/index.ts";
import { scriptedAdapter } from "../support/scripted-adapter.ts";
import { createParties, requestPost } from "../confirming/approvals/approval-context.ts";
import {
  createAccount,
  createTestContext,
  oneHourAhead,
  refusalOf,
  refusalsIn,
  schedulePost,
  type TestContext,
} from "../posts/test-context.ts";

/* Texts are in the database that all users share, so every way to write them has a limit in bytes. */

function withLimits(limits: Partial<PlanLimits>) {
  const ctx = createTestContext({ adapters: { facebook: scriptedAdapter("facebook", { captionMax: 20_000 }) } });
  return { ...ctx, actor: { ...ctx.actor, limits: { ...ctx.actor.limits, ...limits } } };
}

async function createPerson(limits: Partial<PlanLimits>) {
  const ctx = withLimits(limits);
  await env.DB.prepare("INSERT INTO workspaces (id, user_id, name, created_at) VALUES (?, ?, 'Mine', 1)")
    .bind(ctx.actor.workspaceId, ctx.actor.userId)
    .run();
  return ctx;
}

function withTextBytes(ctx: TestContext, textBytesPerHour: number): TestContext {
  return { ...ctx, actor: { ...ctx.actor, limits: { ...ctx.actor.limits, textBytesPerHour } } };
}

/** The bytes that count in this hour. */
async function usedBy({ actor }: TestContext): Promise<number> {
  const used = await env.DB.prepare("SELECT used FROM hourly_use WHERE user_id = ? AND name = 'long_texts'")
    .bind(actor.userId)
    .first<number>("used");
  return used ?? 0;
}

async function postsOf({ actor }: TestContext): Promise<number> {
  const posts = await env.DB.prepare("SELECT count(*) AS n FROM posts WHERE user_id = ?")
    .bind(actor.userId)
    .first<number>("n");
  return posts ?? 0;
}

const GIGABYTE = 1e9;
const DAYS_OF_APPROVAL = 7;
/** A user's id and a key of 255 characters, in the row and in the index of its age, and a hash, numbers and headers. */
const KEYED_ROW_BYTES = 2 * (36 + 3 * 255) + 64 + 100;
/** A pause in the dashboard, which is no preview. */
const PAUSE = changeByActor(
  { credential: { kind: "session", id: "s" }, via: "dashboard" },
  { at: Date.UTC(2030, 1), what: "paused", reason: "user" },
);
const VERSION_BYTES = ',"version":10000'.length;

test.each(PLANS)("a trial of %s cannot fill a gigabyte in its week", (plan) => {
  const limits = limitsFor({ plan, isTrial: true, mustProveEmail: false }, {});
  const hours = TRIAL_DAYS * 24;
  const posts = limits.previewsPerHour * hours;
  // What a preview stores beyond a short plan counts, and so does each request for an approval.
  const short = posts * SHORT_PLAN_BYTES;
  const counted = limits.textBytesPerHour * hours;
  const annotations = posts * SHORT_ANNOTATIONS_BYTES;
  const pauses = posts * MAX_CHANGES * (PAUSE.length + VERSION_BYTES);
  const answers = TRIAL_STORED_ANSWERS * (MAX_STORED_LENGTH + KEYED_ROW_BYTES);
  // One change has an event of each scheduled post at most, before the log is trimmed.
  const events = limits.workspaces * TRIAL_EVENT_LOG.bytes + limits.scheduledPosts * MAX_PLAN_BYTES;
  expect(TRIAL_DAYS).toBeLessThanOrEqual(DAYS_OF_APPROVAL);
  expect(short + counted + annotations + limits.draftBytes).toBeLessThan(0.7 * GIGABYTE);
  expect(short + counted + annotations + limits.draftBytes + pauses + answers + events).toBeLessThan(GIGABYTE);
  // All of an hour can be made within the minutes that KV keeps a preview.
  expect(limits.previewsPerHour * Math.min(MAX_PLAN_BYTES, limits.textBytesPerHour)).toBeLessThan(0.3 * GIGABYTE);
});

describe("the event log of a trial", () => {
  /** A workspace whose log has this many events of this size, oldest first. */
  async function createLog(subscription: SubscriptionStatus, { count, bytes }: { count: number; bytes: number }) {
    const ctx = createTestContext();
    const { userId, workspaceId } = ctx.actor;
    await env.DB.batch([
      env.DB.prepare("INSERT INTO workspaces (id, user_id, name, created_at) VALUES (?, ?, 'Mine', 1)").bind(
        workspaceId,
        userId,
      ),
      env.DB.prepare("INSERT INTO subscriptions (user_id, plan, status, updated_at) VALUES (?, 'scale', ?, 1)").bind(
        userId,
        subscription,
      ),
      env.DB.prepare(
        `INSERT INTO events (workspace_id, seq, type, subject_id, at, data)
         SELECT ?1, n.value, 'post.updated', 's', 1, hex(zeroblob(?3 / 2))
         FROM json_each(?2) n`,
      ).bind(workspaceId, JSON.stringify(Array.from({ length: count }, (_, index) => index + 1)), bytes),
    ]);
    await wakeSenders(ctx, workspaceId);
    const left = await env.DB.prepare("SELECT count(*) AS count, min(seq) AS oldest FROM events WHERE workspace_id = ?")
      .bind(workspaceId)
      .first<{ count: number; oldest: number }>();
    return left;
  }

  const { events, bytes } = TRIAL_EVENT_LOG;

  test("keeps its newest events, by their number and by their bytes", async () => {
    expect(await createLog("trialing", { count: events + 20, bytes: 2 })).toEqual({ count: events, oldest: 21 });
    const largest = bytes / 64;
    expect(await createLog("trialing", { count: 70, bytes: largest })).toEqual({ count: 64, oldest: 7 });
    expect(await createLog("trialing", { count: 64, bytes: largest })).toEqual({ count: 64, oldest: 1 });
  });

  test("is the only one with a limit", async () => {
    expect(await createLog("active", { count: events + 20, bytes: 2 })).toEqual({ count: events + 20, oldest: 1 });
  });
});

test("a plan that is larger than all texts of an hour gets no token", async () => {
  const person = await createPerson({ textBytesPerHour: 50_000 });
  const account = await createAccount(person, "facebook");
  const preview = (characters: number) =>
    previewSchedule(person, {
      caption: "é".repeat(characters),
      scheduledAt: oneHourAhead(person),
      accountIds: [account],
    });
  expect(await refusalOf(preview(15_000))).toMatchObject({
    code: "validation_failed",
    details: [{ code: "plan_too_large", limit: 50_000, actual: expect.any(Number) }],
  });
  expect(await preview(5000)).toMatchObject({ confirmationToken: expect.any(String) });
});

describe("drafts", () => {
  /** A draft of exactly this many bytes. */
  const ofBytes = (bytes: number) => ({ content: { caption: "x".repeat(bytes - '{"caption":""}'.length) } });

  test("of eight parallel ones only those within the bytes of the plan are stored, over all workspaces", async () => {
    const ctx = await createPerson({ draftBytes: 3000 });
    const elsewhere = crypto.randomUUID();
    await env.DB.prepare("INSERT INTO workspaces (id, user_id, name, created_at) VALUES (?, ?, 'Other', 2)")
      .bind(elsewhere, ctx.actor.userId)
      .run();
    await createDraft({ ...ctx, actor: { ...ctx.actor, workspaceId: elsewhere } }, ofBytes(1000));
    const refusals = refusalsIn(
      await Promise.allSettled(Array.from({ length: 8 }, () => createDraft(ctx, ofBytes(1000)))),
    );
    expect(refusals).toHaveLength(6);
    expect(refusals[0]).toMatchObject({
      code: "quota_exceeded",
      message:
        "your limit is 3000 bytes of drafts, and 3000 are used: delete drafts that are no longer needed, or choose a larger plan",
      details: [{ code: "quota_exceeded", message: "draft_bytes", limit: 3000, actual: 3000 }],
    });
  });

  test("a change above the limit is refused; one that makes a draft shorter never is; a deleted one gives its bytes back", async () => {
    const ctx = await createPerson({ draftBytes: 2000 });
    const { id, version } = await createDraft(ctx, ofBytes(1500));
    const grow = await refusalOf(updateDraft(ctx, { id, version, changes: ofBytes(2001).content }));
    expect(grow).toMatchObject({ code: "quota_exceeded", details: [{ message: "draft_bytes", actual: 1500 }] });
    const full = await updateDraft(ctx, { id, version, changes: ofBytes(2000).content });
    const lower = { ...ctx, actor: { ...ctx.actor, limits: { ...ctx.actor.limits, draftBytes: 10 } } };
    const shorter = await updateDraft(lower, { id, version: full.version, changes: ofBytes(1999).content });
    expect(shorter.version).toBe(full.version + 1);
    expect(await refusalOf(updateDraft(ctx, { id, version, changes: ofBytes(20).content }))).toMatchObject({
      code: "draft_changed",
    });
    await deleteDraft(ctx, { id });
    await createDraft(ctx, ofBytes(2000));
  });

  test("another user's drafts do not count", async () => {
    await createDraft(await createPerson({ draftBytes: 2000 }), ofBytes(2000));
    await createDraft(await createPerson({ draftBytes: 2000 }), ofBytes(2000));
  });
});

describe("long posts", () => {
  test("count by their bytes when they are confirmed, and are refused until the hour ends", async () => {
    const person = await createPerson({ textBytesPerHour: 100_000 });
    const account = await createAccount(person, "facebook");
    const confirm = async (ctx: typeof person, characters: number) => {
      const input = { caption: "я".repeat(characters), scheduledAt: oneHourAhead(ctx), accountIds: [account] };
      const { confirmationToken } = await previewSchedule(ctx, input);
      return await confirmSchedule(ctx, { confirmationToken });
    };
    await confirm(person, 15_000);
    expect(await refusalOf(confirm(person, 15_000))).toMatchObject({
      code: "rate_limited",
      details: [{ code: "quota_exceeded", message: "text_bytes_per_hour", limit: 100_000 }],
      retryAfterSeconds: expect.any(Number),
    });
    // The post's text, that of its account, and the copy that searches read.
    expect(await usedBy(person)).toBeGreaterThan(3 * 2 * 15_000);
    expect(await postsOf(person)).toBe(1);
    await confirm(person, 100);
    await confirm({ ...person, clock: { now: () => person.clock.now() + HOUR } }, 15_000);
  });

  test("count the text of each account", async () => {
    const person = await createPerson({});
    const accounts = await Promise.all(Array.from({ length: 5 }, () => createAccount(person, "facebook")));
    const confirm = async (accountIds: readonly string[]) => {
      const input = { caption: "я".repeat(1000), scheduledAt: oneHourAhead(person), accountIds };
      const { confirmationToken } = await previewSchedule(person, input);
      await confirmSchedule(person, { confirmationToken });
    };
    await confirm(accounts.slice(0, 1));
    const used = await usedBy(person);
    await confirm(accounts);
    expect((await usedBy(person)) - used).toBeGreaterThan(used + 4 * 2 * 1000);
  });

  test("do not count when they only move", async () => {
    const person = await createPerson({});
    const account = await createAccount(person, "facebook");
    const post = await schedulePost(person, { caption: "я".repeat(5000), targets: undefined, accountIds: [account] });
    const used = await usedBy(person);
    const edit = async (input: Omit<EditInput, "postIds">) => {
      const { confirmationToken } = await previewEdit(person, { postIds: [post.id], ...input });
      await confirmEdit(person, { confirmationToken });
    };
    await edit({ shiftMinutes: 5 });
    expect(await usedBy(person)).toBe(used);
    await edit({ caption: "ж".repeat(5000) });
    expect(await usedBy(person)).toBeGreaterThan(used + 3 * 2 * 5000);
  });

  test("count as a request for an approval, and again when it is approved", async () => {
    const adapters = { facebook: scriptedAdapter("facebook", { captionMax: 20_000 }) };
    const parties = await createParties({ adapters });
    const account = await createAccount(parties.agent, "facebook");
    const input = { caption: "я".repeat(5000), targets: undefined, accountIds: [account] };
    const { id, planHash } = await requestPost(parties, input);
    const requested = await usedBy(parties.agent);
    expect(requested).toBeGreaterThan(2 * 2 * 5000);
    const full = withTextBytes(parties.person, requested + 1000);
    expect(await refusalOf(approveRequest(full, { id, planHash }))).toMatchObject({ code: "rate_limited" });
    expect(await postsOf(parties.agent)).toBe(0);
    await approveRequest(parties.person, { id, planHash });
    expect(await usedBy(parties.agent)).toBeGreaterThan(requested + 3 * 2 * 5000);
    await expect(requestPost({ agent: withTextBytes(parties.agent, 50_000) }, input)).rejects.toThrow("rate_limited");
  });

  test("count as annotations", async () => {
    const person = await createPerson({});
    const post = await schedulePost(person, {
      targets: undefined,
      accountIds: [await createAccount(person, "facebook")],
    });
    const annotate = (ctx: typeof person, characters: number) =>
      annotatePost(ctx, {
        id: post.id,
        annotations: { externalId: null, metadata: {}, labels: [], notes: "я".repeat(characters) },
      });
    await annotate(person, 100);
    expect(await usedBy(person)).toBe(0);
    await annotate(person, 2000);
    const used = await usedBy(person);
    expect(used).toBeGreaterThan(2 * 2 * 2000);
    expect(await refusalOf(annotate(withTextBytes(person, used + 1000), 1900))).toMatchObject({
      code: "rate_limited",
      details: [{ message: "text_bytes_per_hour", actual: used }],
    });
    expect((await annotate(withTextBytes(person, used + 1000), 100)).annotations.notes).toHaveLength(100);
  });
});
