import { env } from "cloudflare:workers";
import { beforeEach, describe, test } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { getWebhook } from "#webhooks/index.ts";
import { silenceLogs } from "../publisher/publisher-harness.ts";
import { openSender, passTime, type SenderHarness, startAtNoon } from "./sender-harness.ts";

beforeEach(() => {
  startAtNoon();
  silenceLogs();
});

const status =
  (code: number, headers: Record<string, string> = {}) =>
  () =>
    new Response(null, { status: code, headers });
const allDeliveries = async ({ sender }: SenderHarness) =>
  (await sender.deliveries({ status: null, before: null, limit: 100 })).deliveries;

describe("a failure", () => {
  test.for([301, 302, 307, 308, 400, 401, 404, 429, 500, 503])("%i is tried again", async (code, { expect }) => {
    const harness = await openSender();
    await harness.emit(["a"]);
    harness.receiver.answer = status(code, { location: "https://elsewhere.example.net/" });
    await harness.run();
    expect(harness.receiver.requests.map(({ url }) => url)).toEqual(["https://hooks.example.net/almanac"]);
    const [delivery] = await allDeliveries(harness);
    expect(delivery).toMatchObject({ status: "pending", tries: [{ status: code, error: null }] });
    expect(delivery!.nextTryAt! - Date.now()).toBeGreaterThanOrEqual(4 * SECOND);
    expect(delivery!.nextTryAt! - Date.now()).toBeLessThanOrEqual(6 * SECOND);
    expect(await harness.alarmAt()).toBe(delivery!.nextTryAt);
  });

  test("of the network says so, and nothing of the machine", async ({ expect }) => {
    const harness = await openSender();
    await harness.emit(["a"]);
    harness.receiver.answer = () => Promise.reject(new TypeError("connect ECONNREFUSED 10.0.0.7:443"));
    await harness.run();
    expect((await allDeliveries(harness))[0]).toMatchObject({
      status: "pending",
      tries: [{ status: null, error: "the connection failed", response: "" }],
    });
  });

  test("is tried ten times more over about three days with the same bytes, then given up", async ({ expect }) => {
    const harness = await openSender();
    await harness.emit(["a"]);
    harness.receiver.answer = status(500);
    await harness.run();
    const waits: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      const [delivery] = await allDeliveries(harness);
      waits.push(delivery!.nextTryAt! - Date.now());
      passTime(delivery!.nextTryAt! - Date.now());
      await harness.ring();
    }
    const planned = [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR];
    for (const [index, wait] of planned.entries()) {
      expect(Math.abs(waits[index]! / wait - 1)).toBeLessThanOrEqual(0.21);
    }
    const [delivery] = await allDeliveries(harness);
    expect(delivery).toMatchObject({ status: "failed", nextTryAt: null });
    expect(delivery!.tries).toHaveLength(11);
    const { requests, eventIds } = harness.receiver;
    expect(new Set(eventIds).size).toBe(1);
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
    expect(new Set(requests.map(({ headers }) => headers["webhook-timestamp"])).size).toBe(11);
    expect(await harness.sender.health()).toMatchObject({ pending: 0, failures: 11, nextTryAt: null });
  });

  test("with Retry-After waits as long as it asks for", async ({ expect }) => {
    const harness = await openSender();
    await harness.emit(["a"]);
    harness.receiver.answer = status(429, { "retry-after": "3600" });
    await harness.run();
    expect((await allDeliveries(harness))[0]!.nextTryAt! - Date.now()).toBe(HOUR);
  });

  test("of an answer: only its first KiB is kept", async ({ expect }) => {
    const harness = await openSender();
    await harness.emit(["a"]);
    harness.receiver.answer = () => new Response("é".repeat(5000), { status: 500 });
    await harness.run();
    const [delivery] = await allDeliveries(harness);
    expect(delivery!.tries[0]!.response).toBe("é".repeat(512));
  });
});

describe("410", () => {
  test("disables at once; the others of the workspace are told, it itself is not", async ({ expect }) => {
    const gone = await openSender();
    const other = await openSender({ besides: gone });
    await gone.emit(["a"]);
    gone.receiver.answer = status(410);
    await gone.run();
    expect(await getWebhook(gone.ctx, { id: gone.webhookId })).toMatchObject({
      disabledAt: Date.now(),
      disabledReason: "gone",
    });
    await other.ring();
    const told = other.receiver.requests.map(({ body }) => JSON.parse(body));
    expect(told.map(({ type }) => type)).toEqual(["post.updated", "webhook.disabled"]);
    expect(told[1].data.webhook).toMatchObject({ id: gone.webhookId, disabled_reason: "gone" });
    const notice = await env.DB.prepare("SELECT kind FROM notices WHERE subject_id = ?")
      .bind(gone.webhookId)
      .first("kind");
    expect(notice).toBe("webhook_disabled");
    await gone.run();
    expect(gone.receiver.requests).toHaveLength(1);
  });
});

describe("nothing but failures for five days", () => {
  async function failing(events: number, forMs: number) {
    const harness = await openSender();
    harness.receiver.answer = status(500);
    await harness.emit(["first"]);
    await harness.run();
    passTime(forMs);
    await harness.emit(Array.from({ length: events - 1 }, (_, index) => `post-${index}`));
    await harness.run();
    return { harness, webhook: await getWebhook(harness.ctx, { id: harness.webhookId }) };
  }

  test("and 20 events disable", async ({ expect }) => {
    const { webhook } = await failing(20, 5 * DAY);
    expect(webhook).toMatchObject({ disabledReason: "failing", disabledAt: Date.now() });
  });

  test("19 events do not", async ({ expect }) => {
    expect((await failing(19, 5 * DAY)).webhook).toMatchObject({ disabledAt: null });
  });

  test("a millisecond less does not", async ({ expect }) => {
    expect((await failing(20, 5 * DAY - 1)).webhook).toMatchObject({ disabledAt: null });
  });

  test("a resend that fails is no further event", async ({ expect }) => {
    const { harness } = await failing(19, 5 * DAY);
    await harness.sender.resend((await allDeliveries(harness))[0]!.id);
    expect(await getWebhook(harness.ctx, { id: harness.webhookId })).toMatchObject({ disabledAt: null });
    expect(await harness.query("SELECT failed_events FROM sender")).toEqual([{ failed_events: 19 }]);
  });

  test("one success in between begins anew", async ({ expect }) => {
    const { harness } = await failing(20, 5 * DAY - 1);
    harness.receiver.answer = status(200);
    await harness.emit(["good"]);
    await harness.run();
    harness.receiver.answer = status(500);
    passTime(DAY);
    await harness.emit(["bad"]);
    await harness.run();
    expect(await getWebhook(harness.ctx, { id: harness.webhookId })).toMatchObject({ disabledAt: null });
  });
});

describe("the address", () => {
  test("that has turned private since it was set is not asked: 0 requests", async ({ expect }) => {
    const harness = await openSender();
    await env.DB.prepare("UPDATE webhooks SET url = 'https://10.0.0.7/hook' WHERE id = ?")
      .bind(harness.webhookId)
      .run();
    await harness.emit(["a"]);
    await harness.run();
    expect(harness.receiver.requests).toEqual([]);
    const [delivery] = await allDeliveries(harness);
    expect(delivery).toMatchObject({
      status: "pending",
      tries: [{ status: null, error: expect.stringContaining("public") }],
    });
  });

  test("whose name leads to a private address by now is not asked", async ({ expect }) => {
    const harness = await openSender();
    const { config } = harness.ctx;
    Object.assign(harness.ctx, {
      config: {
        ...config,
        setting: (name: string) => (name === "MEDIA_DOH_URL" ? "https://dns.example.net/q" : config.setting(name)),
      },
    });
    harness.receiver.answer = () => Response.json({ Status: 0, Answer: [{ type: 1, data: "192.168.1.4" }] });
    await harness.emit(["a"]);
    await harness.run();
    const hosts = new Set(harness.receiver.requests.map(({ url }) => new URL(url).host));
    expect([...hosts]).toEqual(["dns.example.net"]);
  });
});
