import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { unseal } from "#core/aes-gcm.ts";
import { DAY, MINUTE } from "#core/clock.ts";
import { getEvent, getEventLog, listEvents, setEventLog } from "#events/index.ts";
import { cancelPost } from "#post-status/index.ts";
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateSecret,
  updateWebhook,
  type WebhookTypes,
} from "#webhooks/index.ts";
import {
  createAccount,
  createTestContext,
  detailCodes,
  freezeClock,
  NOON,
  refusalOf,
  refusalsIn,
  schedulePost,
  type TestContext,
} from "../posts/test-context.ts";
import { ALL_HOSTILE_URLS } from "../support/hostile-urls.ts";

beforeEach(() => freezeClock());

const URL_OF_RECEIVER = "https://hooks.example.net/almanac";
const create = (ctx: TestContext, input: { url?: string; types?: WebhookTypes; description?: string } = {}) =>
  createWebhook(ctx, { url: URL_OF_RECEIVER, types: ["*"], ...input });
const storedRow = async (id: string) =>
  (await env.DB.prepare("SELECT * FROM webhooks WHERE id = ?").bind(id).first()) ?? {};
const newestSeq = async (ctx: TestContext) =>
  (await listEvents(ctx, { after: 0, types: null, limit: 100 })).events.at(-1)?.seq ?? 0;

/** Two posts with an event each. */
async function scheduleTwo(ctx: TestContext): Promise<void> {
  const account = await createAccount(ctx);
  await schedulePost(ctx, { accountIds: [account] });
  await schedulePost(ctx, { accountIds: [account] });
}

describe("a new webhook", () => {
  test("has a secret of 32 random bytes, of which only the sealed form is stored", async () => {
    const ctx = createTestContext();
    const { webhook, secret } = await create(ctx, { description: "Shop" });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const row = await storedRow(webhook.id);
    expect(JSON.stringify(row)).not.toContain(secret.slice(6));
    expect(await unseal(ctx.config, webhook.id, String(row["sealed_secret"]))).toBe(secret);
    expect(webhook).toMatchObject({ url: URL_OF_RECEIVER, description: "Shop", types: ["*"], disabledAt: null });
    expect(await getWebhook(ctx, { id: webhook.id })).toEqual(webhook);
    expect(await listWebhooks(ctx)).toEqual([webhook]);
  });

  test("makes its workspace record, and gets the events from then on", async () => {
    const ctx = createTestContext();
    await scheduleTwo(ctx);
    await setEventLog(ctx, { isSwitchedOn: true });
    await scheduleTwo(ctx);
    const before = await newestSeq(ctx);
    const { webhook } = await create(ctx);
    expect(await storedRow(webhook.id)).toMatchObject({ start_after: before });
    await setEventLog(ctx, { isSwitchedOn: false });
    expect(await getEventLog(ctx)).toEqual({ isSwitchedOn: false, isRecording: true });
    await scheduleTwo(ctx);
    expect(await newestSeq(ctx)).toBeGreaterThan(before);
  });

  test("of eleven created in parallel ten exist, and the eleventh is refused with the limit", async () => {
    const ctx = createTestContext();
    const results = await Promise.allSettled(Array.from({ length: 11 }, () => create(ctx)));
    const refusals = refusalsIn(results);
    expect(refusals).toMatchObject([
      {
        code: "quota_exceeded",
        message: "your limit is 10 webhooks in a workspace, and 10 are used: delete one that is no longer needed",
        details: [{ code: "quota_exceeded", message: "webhooks", limit: 10, actual: 10 }],
      },
    ]);
    expect(await listWebhooks(ctx)).toHaveLength(10);
  });

  test("names each type once, and * alone", async () => {
    const ctx = createTestContext();
    const two = await create(ctx, { types: ["post.failed", "post.failed", "post.published"] });
    expect(two.webhook.types).toEqual(["post.failed", "post.published"]);
    expect((await create(ctx, { types: ["post.failed", "*"] })).webhook.types).toEqual(["*"]);
  });

  test("with several mistakes is refused with all of them, and nothing records", async () => {
    const ctx = createTestContext();
    const input = { url: "http://hooks.example.net/", types: [], description: "a".repeat(201) };
    expect(detailCodes(await refusalOf(create(ctx, input)))).toEqual([
      "url_not_https url",
      "out_of_range description",
      "out_of_range types",
    ]);
    expect(detailCodes(await refusalOf(create(ctx, { description: "two\nlines" })))).toEqual([
      "invalid_characters description",
    ]);
    expect(detailCodes(await refusalOf(create(ctx, { types: ["post.failed", "webhook.test"] })))).toEqual([
      "invalid_value types[1]",
    ]);
    expect(await getEventLog(ctx)).toEqual({ isSwitchedOn: false, isRecording: false });
  });

  test("at a hostile address is refused, naming the field, with no request out", async () => {
    const requests: string[] = [];
    const ctx = createTestContext();
    const publicFetch = (request: Request) => {
      requests.push(request.url);
      return Promise.resolve(new Response(null, { status: 599 }));
    };
    const guarded = { ...ctx, outbound: { ...ctx.outbound, publicFetch } };
    for (const url of ALL_HOSTILE_URLS) {
      const refusal = await refusalOf(createWebhook(guarded, { url, types: ["*"] }));
      expect(refusal, url).toMatchObject({ code: "validation_failed", param: "url", details: [{ param: "url" }] });
    }
    expect(await listWebhooks(ctx)).toEqual([]);
    const { webhook } = await create(ctx);
    for (const url of ALL_HOSTILE_URLS) {
      expect((await refusalOf(updateWebhook(guarded, { id: webhook.id, url }))).param, url).toBe("url");
    }
    expect(requests).toEqual([]);
    expect((await getWebhook(ctx, { id: webhook.id })).url).toBe(URL_OF_RECEIVER);
  });

  test("in the sandbox may be at its own origin", async () => {
    const ctx = createTestContext();
    const sandbox = { ...ctx, outbound: { ...ctx.outbound, trustedMediaOrigin: "http://localhost:8787" } };
    const url = "http://localhost:8787/sandbox/receiver";
    expect((await createWebhook(sandbox, { url, types: ["*"] })).webhook.url).toBe(url);
  });
});

describe("changing a webhook", () => {
  test("changes what is given and leaves the rest", async () => {
    const ctx = createTestContext();
    const { webhook } = await create(ctx, { description: "Shop" });
    freezeClock(NOON + MINUTE);
    const changed = await updateWebhook(ctx, { id: webhook.id, types: ["post.failed"] });
    expect(changed).toEqual({ ...webhook, types: ["post.failed"], updatedAt: NOON + MINUTE });
    expect(await updateWebhook(ctx, { id: webhook.id, description: "" })).toEqual({ ...changed, description: "" });
  });

  test("disables it; enabling it again needs a word on what was missed", async () => {
    const ctx = createTestContext();
    const { webhook } = await create(ctx);
    const { id } = webhook;
    expect(await updateWebhook(ctx, { id, enabled: false })).toMatchObject({
      disabledAt: NOON,
      disabledReason: "user",
    });
    await scheduleTwo(ctx);
    expect(detailCodes(await refusalOf(updateWebhook(ctx, { id, enabled: true })))).toEqual(["required missed"]);
    expect((await getWebhook(ctx, { id })).disabledAt).toBe(NOON);

    const { start_after: startAfter } = await storedRow(id);
    expect(await updateWebhook(ctx, { id, enabled: true, missed: "send" })).toMatchObject({
      disabledAt: null,
      disabledReason: null,
    });
    expect(await storedRow(id)).toMatchObject({ start_after: startAfter });
    // It is enabled: nothing was missed.
    await updateWebhook(ctx, { id, enabled: true, missed: "skip" });
    await updateWebhook(ctx, { id, enabled: true });
    expect(await storedRow(id)).toMatchObject({ start_after: startAfter });

    await updateWebhook(ctx, { id, enabled: false });
    await updateWebhook(ctx, { id, enabled: true, missed: "skip" });
    expect(await storedRow(id)).toMatchObject({ start_after: await newestSeq(ctx) });
    await ctx.waitForDeferred();
  });

  test("keeps the reason for which the service disabled it", async () => {
    const ctx = createTestContext();
    const { id } = (await create(ctx)).webhook;
    await env.DB.prepare("UPDATE webhooks SET disabled_at = 5, disabled_reason = 'gone' WHERE id = ?").bind(id).run();
    expect(await updateWebhook(ctx, { id, enabled: false })).toMatchObject({ disabledAt: 5, disabledReason: "gone" });
  });
});

describe("rotating the secret", () => {
  test("keeps the old one for a day", async () => {
    const ctx = createTestContext();
    const { webhook, secret } = await create(ctx);
    const rotated = await rotateSecret(ctx, { id: webhook.id });
    expect(rotated.secret).not.toBe(secret);
    expect(rotated.webhook.previousSecretUntil).toBe(NOON + DAY);
    const row = await storedRow(webhook.id);
    expect(await unseal(ctx.config, webhook.id, String(row["sealed_secret"]))).toBe(rotated.secret);
    expect(await unseal(ctx.config, webhook.id, String(row["previous_sealed_secret"]))).toBe(secret);
  });
});

describe("deleting a webhook", () => {
  test("ends the recording with the last one", async () => {
    const ctx = createTestContext();
    const [first, second] = [(await create(ctx)).webhook, (await create(ctx)).webhook];
    await deleteWebhook(ctx, { id: first.id });
    expect((await getEventLog(ctx)).isRecording).toBe(true);
    await deleteWebhook(ctx, { id: second.id });
    expect((await getEventLog(ctx)).isRecording).toBe(false);
    expect(await listWebhooks(ctx)).toEqual([]);
    await scheduleTwo(ctx);
    expect((await listEvents(ctx, { after: 0, types: null, limit: 10 })).events).toEqual([]);
    await ctx.waitForDeferred();
  });

  test("does not end it while the log is switched on", async () => {
    const ctx = createTestContext();
    await setEventLog(ctx, { isSwitchedOn: true });
    await deleteWebhook(ctx, { id: (await create(ctx)).webhook.id });
    expect(await getEventLog(ctx)).toEqual({ isSwitchedOn: true, isRecording: true });
    await setEventLog(ctx, { isSwitchedOn: false });
    expect(await getEventLog(ctx)).toEqual({ isSwitchedOn: false, isRecording: false });
    await ctx.waitForDeferred();
  });

  test("tells the object, whose failure is nobody's", async () => {
    const ctx = createTestContext();
    const told: string[] = [];
    const { id } = (await create(ctx)).webhook;
    const sender: TestContext["sender"] = (webhookId) => ({
      ...ctx.sender(webhookId),
      remove: () => {
        told.push(webhookId);
        return Promise.reject(new Error("unreachable"));
      },
    });
    await deleteWebhook({ ...ctx, sender }, { id });
    await ctx.waitForDeferred();
    expect(told).toEqual([id]);
  });
});

describe("what belongs to another user, or to another workspace of the same user", () => {
  test("is like what does not exist", async () => {
    const owner = createTestContext();
    const { id } = (await create(owner)).webhook;
    const strangers = [
      createTestContext(),
      createTestContext({ actor: { userId: owner.actor.userId } }),
      createTestContext({ actor: { workspaceId: owner.actor.workspaceId } }),
    ];
    for (const stranger of strangers) {
      const calls = [
        () => getWebhook(stranger, { id }),
        () => updateWebhook(stranger, { id, description: "Mine" }),
        () => updateWebhook(stranger, { id, enabled: true }),
        () => rotateSecret(stranger, { id }),
        () => deleteWebhook(stranger, { id }),
      ];
      for (const call of calls) {
        expect(await refusalOf(call())).toEqual({ code: "not_found", message: "webhook not found" });
      }
      expect(await listWebhooks(stranger)).toEqual([]);
    }
    expect(await getWebhook(owner, { id })).toMatchObject({ description: "", disabledAt: null });
  });
});

describe("the events of a workspace", () => {
  test("are read in pages, oldest first, and one by one", async () => {
    const ctx = createTestContext();
    await setEventLog(ctx, { isSwitchedOn: true });
    const account = await createAccount(ctx);
    const { id } = await schedulePost(ctx, { accountIds: [account] });
    await cancelPost(ctx, { id });
    const first = await listEvents(ctx, { after: 0, types: null, limit: 2 });
    expect(await listEvents(ctx, { after: 0, types: null, limit: 3 })).toMatchObject({ hasMore: false });
    expect(first).toMatchObject({ hasMore: true, isRecording: true });
    expect(first.events.map(({ type }) => type)).toEqual(["account.connected", "post.scheduled"]);
    const second = await listEvents(ctx, { after: first.nextAfter, types: null, limit: 2 });
    expect(second).toMatchObject({ hasMore: false, nextAfter: second.events[0]?.seq });
    expect(second.events.map(({ type }) => type)).toEqual(["post.cancelled"]);
    expect(await getEvent(ctx, { id: second.events[0]?.id ?? "" })).toEqual(second.events[0]);
    const chosen = await listEvents(ctx, { after: 0, types: ["post.cancelled"], limit: 50 });
    expect(chosen.events).toEqual(second.events);
    expect(await listEvents(ctx, { after: chosen.nextAfter, types: ["post.cancelled"], limit: 50 })).toMatchObject({
      events: [],
      nextAfter: chosen.nextAfter,
    });
  });

  test("of another workspace do not exist", async () => {
    const [ctx, stranger] = [createTestContext(), createTestContext()];
    await setEventLog(ctx, { isSwitchedOn: true });
    await createAccount(ctx);
    const { events } = await listEvents(ctx, { after: 0, types: null, limit: 1 });
    for (const id of [events[0]?.id ?? "", "evt_0_x", "", `evt_zzzzzzzzzzz_${"0".repeat(32)}`]) {
      expect(await refusalOf(getEvent(stranger, { id }))).toEqual({ code: "not_found", message: "event not found" });
    }
    expect(await listEvents(stranger, { after: 0, types: null, limit: 10 })).toMatchObject({
      events: [],
      isRecording: false,
    });
  });
});
