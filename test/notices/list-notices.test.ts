import { env } from "cloudflare:workers";
import { beforeEach, describe, test } from "vitest";
import { ALERT_KINDS } from "#core/alert.ts";
import { DAY } from "#core/clock.ts";
import { describeNotice, dismissNotice, getMutedAlerts, listNotices, setMutedAlerts } from "#notices/index.ts";
import {
  createAccount,
  createTestContext,
  freezeClock,
  NOON,
  schedulePost,
  updateAccountRow,
  updatePostRow,
} from "../posts/test-context.ts";
import { createOwner, endTarget, insertWebhook, insertNotice } from "./test-context.ts";

beforeEach(() => freezeClock());

const iso = (instant: number) => new Date(instant).toISOString();

/** The notices of the workspace as text. */
async function listed(ctx: ReturnType<typeof createTestContext>) {
  const { notices } = await listNotices(ctx);
  return notices.map((notice) => ({ ...notice, text: describeNotice(notice, iso) }));
}

describe("the notices of a workspace", () => {
  test("a failed post: its first words, each account that failed and why, and its page", async ({ expect }) => {
    const ctx = createTestContext();
    const account = await createAccount(ctx);
    const { id } = await schedulePost(ctx, { accountIds: [account] });
    await updatePostRow(id, { caption: `Line one\n\nline ${"two ".repeat(30)}` });
    await endTarget(id, account, "failed", { message: "Too\nlong." });
    const [notice] = await listed(ctx);
    expect(notice).toMatchObject({ kind: "post_failed", subjectId: id, path: `/dashboard/posts/${id}` });
    expect(notice?.text.title).toMatch(/^“Line one line two (two )+tw…” was not published everywhere$/);
    expect(notice?.text.lines).toEqual([
      `Scheduled for ${iso(NOON + 3_600_000)}.`,
      expect.stringMatching(/^X \(account-\d+\): Too long\.$/),
      "Repair the reason, then try again or change the post on its page.",
    ]);
  });

  test("an unconfirmed post without text", async ({ expect }) => {
    const ctx = createTestContext();
    const account = await createAccount(ctx);
    const { id } = await schedulePost(ctx, { accountIds: [account] });
    await updatePostRow(id, { caption: "" });
    await endTarget(id, account, "unconfirmed", null);
    expect((await listed(ctx)).map(({ text }) => text.title)).toEqual([
      "A post without text may or may not be published",
    ]);
  });

  test("an account that needs a new login, until it has one", async ({ expect }) => {
    const ctx = createTestContext();
    const account = await createAccount(ctx);
    await updateAccountRow(account, { status: "needs_reconnect", status_reason: "Ada withdrew the app." });
    const [notice] = await listed(ctx);
    expect(notice).toMatchObject({ path: `/dashboard/accounts#account-${account}` });
    expect(notice?.text.lines).toContain("Ada withdrew the app.");
    await updateAccountRow(account, { status: "active" });
    expect(await listed(ctx)).toEqual([]);
  });

  test("a disabled webhook, until it is enabled", async ({ expect }) => {
    const ctx = createTestContext();
    const id = await insertWebhook(ctx, { description: "" });
    await env.DB.prepare("UPDATE webhooks SET disabled_at = 5, disabled_reason = 'gone' WHERE id = ?").bind(id).run();
    const [notice] = await listed(ctx);
    expect(notice).toMatchObject({ path: `/webhooks/${id}`, at: 5 });
    expect(notice?.text.title).toBe("The webhook https://receiver.example/hook was disabled");
    await env.DB.prepare("UPDATE webhooks SET disabled_at = NULL, disabled_reason = NULL WHERE id = ?").bind(id).run();
    expect(await listed(ctx)).toEqual([]);
  });

  test("newest first, a hundred at most, nothing of another workspace and nothing that is gone", async ({ expect }) => {
    const [ctx, other] = [createTestContext(), createTestContext()];
    for (let i = 1; i <= 101; i++) {
      const id = await insertWebhook(ctx, { description: `hook ${i}` });
      await insertNotice(ctx, "webhook_disabled", id, i);
    }
    await insertNotice(other, "webhook_disabled", await insertWebhook(other, { description: "theirs" }), 200);
    await insertNotice(ctx, "post_failed", "gone", 201);
    ctx.counting.reset();
    const { notices, hasMore } = await listNotices(ctx);
    expect(ctx.counting.count).toMatchObject({ roundTrips: 1 });
    expect(notices).toHaveLength(99);
    expect(notices.map(({ at }) => at).slice(0, 2)).toEqual([101, 100]);
    expect(hasMore).toBe(true);
    const [theirs] = (await listNotices(other)).notices;
    expect(theirs).toMatchObject({ subject: { webhook: { description: "theirs" } } });
  });

  test("the end of a subscription is not listed where the operator gives everyone a plan", async ({ expect }) => {
    const ctx = createTestContext({ config: { planForAll: null } });
    const endsAt = NOON + 3 * DAY;
    await createOwner(ctx, { subscription: { status: "trialing", currentPeriodEnd: endsAt } });
    await insertNotice(ctx, "subscription_ends", ctx.actor.userId, 1);
    expect((await listed(ctx)).map(({ text, path }) => [text.title, path])).toEqual([
      [`Your free trial ends on ${iso(endsAt)}`, "/dashboard/plan"],
    ]);
    expect((await listNotices({ ...ctx, config: { ...ctx.config, planForAll: "scale" } })).notices).toEqual([]);
  });

  test("read rows of what is listed only, not of what was dismissed", async ({ expect }) => {
    const ctx = createTestContext();
    for (let i = 1; i <= 200; i++) {
      await insertNotice(ctx, "post_failed", `gone-${i}`, i, { dismissedAt: i > 3 ? i : null });
    }
    ctx.counting.reset();
    await listNotices(ctx);
    expect(ctx.counting.count.rowsRead).toBeLessThan(20);
  });
});

describe("dismissing a notice", () => {
  test("takes it off the list, but not a newer one of the same post", async ({ expect }) => {
    const ctx = createTestContext();
    const account = await createAccount(ctx);
    const { id } = await schedulePost(ctx, { accountIds: [account] });
    await endTarget(id, account, "failed", null);
    const [notice] = (await listNotices(ctx)).notices;
    await dismissNotice(createTestContext(), notice!);
    expect((await listNotices(ctx)).notices).toHaveLength(1);
    await dismissNotice(ctx, { ...notice!, at: notice!.at - 1 });
    expect((await listNotices(ctx)).notices).toHaveLength(1);
    await dismissNotice(ctx, notice!);
    expect((await listNotices(ctx)).notices).toEqual([]);
  });
});

describe("the kinds that a user does not want by mail", () => {
  test("are none at first, and are kept in the order of the list", async ({ expect }) => {
    const ctx = createTestContext();
    await createOwner(ctx);
    expect(await getMutedAlerts(ctx)).toEqual([]);
    await setMutedAlerts(ctx, ALERT_KINDS.toReversed());
    expect(await getMutedAlerts(ctx)).toEqual(ALERT_KINDS);
    await setMutedAlerts(ctx, ["post_failed"]);
    expect(await getMutedAlerts(ctx)).toEqual(["post_failed"]);
    await setMutedAlerts(ctx, []);
    expect(await getMutedAlerts(ctx)).toEqual([]);
  });
});
