import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, test } from "vitest";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import { deleteWebhook, wakeOverdueSenders, wakeSenders } from "#webhooks/index.ts";
import { OVERDUE_WEBHOOKS } from "#webhooks/delivery/store-overdue.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import type { WebhookSenderApi } from "#core/webhook-sender.ts";
import { silenceLogs } from "../publisher/publisher-harness.ts";
import { openSender, passTime, type SenderHarness, startAtNoon } from "./sender-harness.ts";

beforeEach(() => {
  startAtNoon();
  silenceLogs();
});

afterEach(() => setFailpointHook(undefined));

const page = async ({ sender }: SenderHarness, query: object = {}) =>
  await sender.deliveries({ status: null, before: null, limit: 100, ...query });

describe("the log of deliveries", () => {
  test("newest first, in pages, by status, each with its bytes", async ({ expect }) => {
    const harness = await openSender();
    const ids = await harness.emit(["a", "b", "c"]);
    harness.receiver.answer = ({ eventId }) => new Response("no", { status: eventId === ids[1] ? 500 : 200 });
    await harness.run();
    const first = await page(harness, { limit: 2 });
    expect(first.deliveries.map(({ eventId }) => eventId)).toEqual([ids[2], ids[1]]);
    const second = await page(harness, { limit: 2, before: first.next });
    expect(second.deliveries.map(({ eventId }) => eventId)).toEqual([ids[0]]);
    expect(second.next).toBeNull();
    expect((await page(harness, { status: "pending" })).deliveries.map(({ eventId }) => eventId)).toEqual([ids[1]]);
    const delivery = await harness.sender.delivery(first.deliveries[1]!.id);
    expect(delivery).toMatchObject({
      eventType: "post.updated",
      subjectId: "b",
      tries: [{ status: 500, response: "no" }],
    });
    expect(delivery!.body).toBe(harness.receiver.requests[1]!.body);
    expect(await harness.sender.delivery("dlv_99")).toBeNull();
    expect(await harness.sender.delivery("nonsense")).toBeNull();
  });

  test("is kept for 30 days; then an alarm deletes it", async ({ expect }) => {
    const harness = await openSender();
    await harness.emit(["a"]);
    await harness.run();
    const alarmAt = await harness.alarmAt();
    expect(alarmAt).toBe(Date.now() + 30 * DAY);
    passTime(30 * DAY);
    await harness.ring();
    expect((await page(harness)).deliveries).toHaveLength(1);
    passTime(1);
    await harness.ring();
    expect((await page(harness)).deliveries).toEqual([]);
    expect(await harness.query("SELECT * FROM tries")).toEqual([]);
  });
});

describe("resend", () => {
  test("sends the same bytes and id under a new time; what arrives counts as delivered", async ({ expect }) => {
    const harness = await openSender();
    await harness.emit(["a"]);
    harness.receiver.answer = () => new Response(null, { status: 500 });
    await harness.run();
    const id = (await page(harness)).deliveries[0]!.id;
    passTime(MINUTE);
    const failed = await harness.sender.resend(id);
    expect(failed).toMatchObject({ status: "pending", tries: [{ status: 500 }, { status: 500 }] });
    harness.receiver.answer = () => new Response();
    passTime(MINUTE);
    const arrived = await harness.sender.resend(id);
    expect(arrived).toMatchObject({ status: "delivered", nextTryAt: null });
    passTime(HOUR);
    await harness.run();
    const { requests } = harness.receiver;
    expect(requests).toHaveLength(3);
    expect(new Set(requests.map(({ body, eventId }) => `${eventId} ${body}`)).size).toBe(1);
    expect(new Set(requests.map(({ headers }) => headers["webhook-signature"])).size).toBe(3);
    expect(await harness.sender.resend("dlv_99")).toBeNull();
  });
});

describe("a test", () => {
  test("is sent once, stands in the log, and its failure says nothing about events", async ({ expect }) => {
    const harness = await openSender();
    harness.receiver.answer = () => new Response("nope", { status: 410 });
    const attempt = await harness.sender.sendTest({ id: "evt_test_1", body: '{"type":"webhook.test"}' });
    expect(attempt).toMatchObject({ status: 410, response: "nope" });
    expect((await page(harness)).deliveries).toMatchObject([{ eventType: "webhook.test", status: "failed" }]);
    passTime(HOUR);
    await harness.run();
    expect(harness.receiver.eventIds).toEqual(["evt_test_1"]);
    expect(await harness.sender.health()).toMatchObject({ failures: 0, pending: 0 });
  });
});

describe("replay", () => {
  test("delivers again what lies after a number", async ({ expect }) => {
    const harness = await openSender();
    const ids = await harness.emit(["a", "b", "c"]);
    await harness.run();
    const [{ seq }] = (await harness.query<{ seq: number }>("SELECT seq FROM deliveries ORDER BY n")) as [
      { seq: number },
    ];
    expect(await harness.sender.replay(seq)).toEqual({ queued: 2 });
    await harness.ring();
    expect(harness.receiver.eventIds.slice(3).toSorted()).toEqual(ids.slice(1).toSorted());
    expect(await harness.sender.replay(Number.MAX_SAFE_INTEGER)).toEqual({ queued: 0 });
  });

  test("what waits for its next try is not sent twice", async ({ expect }) => {
    const harness = await openSender();
    await harness.emit(["a"]);
    harness.receiver.answer = () => new Response(null, { status: 500 });
    await harness.run();
    await harness.sender.replay(0);
    await harness.ring();
    expect((await page(harness)).deliveries).toHaveLength(1);
  });
});

describe("erasing", () => {
  test("forgets the bodies about a subject, also one that waits", async ({ expect }) => {
    const harness = await openSender();
    await harness.emit(["a", "b"]);
    harness.receiver.answer = () => new Response("echo", { status: 500 });
    await harness.run();
    await harness.sender.erase(["a"]);
    expect((await page(harness)).deliveries.map(({ subjectId }) => subjectId)).toEqual(["b"]);
    expect(await harness.query("SELECT * FROM tries")).toHaveLength(1);
    passTime(HOUR);
    await harness.ring();
    expect(harness.receiver.requests).toHaveLength(3);
  });

  test("also what is being read at that moment", async ({ expect }) => {
    const harness = await openSender();
    await harness.emit(["a", "b"]);
    const instance = await runInDurableObject(harness.stub, (object) => object as unknown as WebhookSenderApi);
    let isErased = false;
    setFailpointHook(async (point) => {
      if (point === "webhook.before_store" && !isErased) {
        isErased = true;
        await env.DB.prepare("DELETE FROM events WHERE subject_id = 'a'").run();
        await instance.erase(["a"]);
      }
    });
    await harness.run();
    expect((await page(harness)).deliveries.map(({ subjectId }) => subjectId)).toEqual(["b"]);
  });

  test("a deleted webhook leaves nothing, also when it is woken late", async ({ expect }) => {
    const harness = await openSender();
    await harness.emit(["a"]);
    await harness.run();
    await deleteWebhook(harness.ctx, { id: harness.webhookId });
    await harness.ctx.waitForDeferred();
    expect(await harness.query("SELECT name FROM sqlite_master WHERE name = 'deliveries'")).toEqual([]);
    await harness.emit(["b"]);
    await harness.run();
    expect(await harness.query("SELECT name FROM sqlite_master WHERE name = 'deliveries'")).toEqual([]);
    expect(await harness.alarmAt()).toBeNull();
    expect(harness.receiver.requests).toHaveLength(1);
  });
});

describe("waking", () => {
  test("after a change, the enabled webhooks of its workspace alone", async ({ expect }) => {
    const first = await openSender();
    const second = await openSender({ besides: first });
    const stranger = await openSender();
    await first.emit(["a"]);
    await stranger.emit(["a"]);
    await wakeSenders(first.ctx, first.ctx.actor.workspaceId);
    await Promise.all([first, second, stranger].map(({ ring }) => ring()));
    expect([first, second, stranger].map(({ receiver }) => receiver.requests.length)).toEqual([1, 1, 0]);
  });

  test("never throws", async ({ expect }) => {
    const harness = await openSender();
    const broken = {
      ...harness.ctx,
      sender: () => ({ ...harness.sender, wake: () => Promise.reject(new Error("gone")) }),
    };
    await expect(wakeSenders(broken, harness.ctx.actor.workspaceId)).resolves.toBeUndefined();
    const d1 = {
      prepare: () => {
        throw new Error("no database");
      },
    } as unknown as D1Database;
    await expect(wakeSenders({ ...harness.ctx, db: { ...harness.ctx.db, d1 } }, "w")).resolves.toBeUndefined();
  });

  test("a lost wake costs one cron run, and a quiet workspace is not woken", async ({ expect }) => {
    const harness = await openSender();
    const quiet = await openSender();
    await harness.emit(["a"]);
    await wakeOverdueSenders(harness.ctx);
    expect(await quiet.alarmAt()).toBeNull();
    await harness.ring();
    expect(harness.receiver.requests).toHaveLength(1);
    passTime(HOUR);
    await wakeOverdueSenders(harness.ctx);
    expect(await wakeOverdueSenders(harness.ctx)).toEqual({ woken: 0 });
  });

  test("the question of the cron reads no event but one of each workspace", async ({ expect }) => {
    const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${OVERDUE_WEBHOOKS}`)
      .bind("", "", "~", "", 0, 10)
      .all<{ detail: string }>();
    const plan = results.map(({ detail }) => detail).join("\n");
    expect(plan).toMatch(/SEARCH w USING (COVERING )?INDEX webhooks_enabled/);
    expect(plan).toContain("SEARCH e EXISTS USING PRIMARY KEY (workspace_id=? AND seq>?)");
    expect(plan).not.toContain("SCAN e");
    expect(plan).not.toContain("TEMP B-TREE");
  });
});

describe("costs", () => {
  test("a round is one trip to D1, and sending writes nothing there", async ({ expect }) => {
    const harness = await openSender();
    await harness.emit(["a", "b", "c"]);
    const before = { ...harness.ctx.counting.count };
    await harness.run();
    const after = harness.ctx.counting.count;
    expect(after.rowsWritten - before.rowsWritten).toBe(0);
    expect(after.roundTrips - before.roundTrips).toBe(1);
  });
});
