import { env, exports } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, test } from "vitest";
import { startSession } from "#auth/index.ts";
import { createServices } from "#context.ts";
import { createWebhook } from "#webhooks/index.ts";
import { BrowserClient } from "../auth/service-fixture.ts";
import { createTestContext } from "../auth/test-context.ts";
import { PublisherHarness, silenceLogs } from "../publisher/publisher-harness.ts";
import { connectOneAccount, previewTextPost, scheduleTextPost } from "../support/api-workflows.ts";
import { callApi } from "../support/call-api.ts";
import { callTool } from "../support/call-mcp.ts";
import { type ApiCaller, createCaller } from "../support/create-caller.ts";

/* The whole service with its real objects, alarms and clock; the receiver is that of the sandbox. */

beforeEach(silenceLogs);

let receiverCount = 0;

async function createListener() {
  const caller = await createCaller();
  const account = await connectOneAccount(caller);
  receiverCount += 1;
  const path = `/sandbox/receivers/waking-${receiverCount}`;
  const created = await callApi(caller, {
    method: "POST",
    path: "/webhooks",
    body: { url: `${env.ORIGIN}${path}`, types: ["*"] },
  });
  const types = async () => {
    const response = await exports.default.fetch(`${env.ORIGIN}${path}`);
    const { deliveries } = await response.json<{ deliveries: { body: string }[] }>();
    return deliveries.map(({ body }) => JSON.parse(body).type as string);
  };
  return { caller, accountId: account.id, webhookId: String(created.body.webhook.id), types };
}

const DELIVERED = { timeout: 10_000, interval: 50 };

function browserOf({ userId }: ApiCaller): Promise<BrowserClient> {
  const context = createTestContext();
  const browser = new BrowserClient({
    services: context,
    fetch: (path, init) =>
      exports.default.fetch(new Request(new URL(path, env.ORIGIN), { redirect: "manual", ...init })),
  });
  const services = createServices(env, context.outbound, () => {});
  return startSession(services, { userId }).then((session) => Object.assign(browser, { session }));
}

describe("a change is told without waiting for the cron", () => {
  test("made through the API, through the MCP server and in the dashboard", async ({ expect }) => {
    const { caller, accountId, types } = await createListener();
    const first = await scheduleTextPost(caller, accountId);
    await expect.poll(types, DELIVERED).toEqual(["post.scheduled"]);
    await callTool(caller, "cancel_post", { post_id: first.id, confirm: true });
    await expect.poll(types, DELIVERED).toEqual(["post.scheduled", "post.cancelled"]);
    const second = await scheduleTextPost(caller, accountId);
    await expect.poll(async () => (await types()).length, DELIVERED).toBe(3);
    const browser = await browserOf(caller);
    const response = await browser.post(`/dashboard/posts/${second.id}/pause`, { version: String(second.version) });
    expect(response.status).toBe(303);
    await expect.poll(types, DELIVERED).toEqual(["post.scheduled", "post.cancelled", "post.scheduled", "post.paused"]);
  });

  test("a call that changes nothing wakes nobody", async ({ expect }) => {
    const { caller, accountId, webhookId, types } = await createListener();
    const post = await scheduleTextPost(caller, accountId);
    await expect.poll(async () => (await types()).length, DELIVERED).toBe(1);
    const stub = env.SENDERS.get(env.SENDERS.idFromName(webhookId));
    const alarm = () => runInDurableObject(stub, (_, { storage }) => storage.getAlarm());
    // After its run only the deletion of the log is left to do.
    await expect.poll(async () => Number(await alarm()) - Date.now(), DELIVERED).toBeGreaterThan(1e6);
    const before = await alarm();
    await callApi(caller, { method: "GET", path: `/posts/${post.id}` });
    await previewTextPost(caller, accountId);
    await callTool(caller, "get_post", { post_id: post.id });
    expect(await alarm()).toBe(before);
  });
});

describe("a post that is published", () => {
  const usageOf = async (harness: PublisherHarness) => {
    const before = { ...harness.d1Usage };
    const id = await harness.createPost({ on: ["x"] });
    await harness.runAlarms(id);
    const { rowsWritten, roundTrips } = harness.d1Usage;
    return { rowsWritten: rowsWritten - before.rowsWritten, roundTrips: roundTrips - before.roundTrips };
  };

  test.for([1, 10])(
    "costs three rows more with %i webhooks; without one no event is written",
    async (count, { expect }) => {
      const without = await PublisherHarness.open();
      const listening = await PublisherHarness.open();
      const woken: string[] = [];
      Object.assign(listening.ctx, {
        sender: (id: string) => ({ wake: () => Promise.resolve(void woken.push(id)) }),
      });
      const made = Array.from({ length: count }, () =>
        createWebhook(listening.ctx, { url: "https://hooks.example.net/", types: ["*"] }),
      );
      const ids = (await Promise.all(made)).map(({ webhook }) => webhook.id);
      const [few, more] = [await usageOf(without), await usageOf(listening)];
      // One row an event, however many webhooks it goes to: scheduled, the target's end, the post's end.
      expect(more.rowsWritten - few.rowsWritten).toBe(3);
      // Their ids are read in one more trip, after the change.
      expect(more.roundTrips - few.roundTrips).toBe(1);
      expect(new Set(woken)).toEqual(new Set(ids));
      expect(woken).toHaveLength(count);
      const events = env.DB.prepare("SELECT count(*) AS n FROM events WHERE workspace_id = ?");
      expect(await events.bind(without.ctx.actor.workspaceId).first("n")).toBe(0);
      expect(await events.bind(listening.ctx.actor.workspaceId).first("n")).toBe(more.rowsWritten - few.rowsWritten);
    },
  );
});
