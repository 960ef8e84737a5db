import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { describe, test, vi } from "vitest";
import { MINUTE } from "#core/clock.ts";
import { answerWith, callWebhooks, createWebhook, deliverNow, receivedBy } from "../support/api-webhooks.ts";
import { type ApiCaller, createCaller } from "../support/create-caller.ts";
import {
  connectInBrowser,
  type Post,
  readPost,
  runAlarmsUntilIdle,
  schedulePost,
  useJourneyClock,
} from "./journey-driver.ts";

/* From the hook to the published post, as the receiver sees it. */

useJourneyClock("2036-01-01T09:00:00Z");

type Hook = Awaited<ReturnType<typeof createWebhook>>;

const LIFE = ["post.scheduled", "target.published", "post.published"];

/** What has arrived, each with its signature verified at the time at which it was sent. */
async function verifiedEvents({ receiver, secret }: Pick<Hook, "receiver" | "secret">) {
  const webhook = new Webhook(secret);
  const now = Date.now();
  const events = (await receivedBy(receiver)).map(({ headers, body }) => {
    vi.setSystemTime(Number(headers["webhook-timestamp"]) * 1000);
    const event = webhook.verify(body, headers) as { id: string; seq: number; type: string; data: { post: Post } };
    return { ...event, messageId: headers["webhook-id"], body };
  });
  vi.setSystemTime(now);
  return events;
}

const typesAt = async (hook: Hook): Promise<readonly string[]> => (await verifiedEvents(hook)).map(({ type }) => type);

async function publish(caller: ApiCaller, hook: Hook): Promise<Post> {
  const { accounts } = await connectInBrowser(caller, "x");
  await callWebhooks(caller, "PATCH", `/${hook.id}`, { types: LIFE });
  const { post } = await schedulePost(caller, { caption: "Told", account_ids: [accounts[0]!.id] });
  await deliverNow(hook.id);
  await runAlarmsUntilIdle([post]);
  await deliverNow(hook.id);
  return await readPost(caller, post.id);
}

const deliveriesOf = async (caller: ApiCaller, { id }: Hook) =>
  (await callWebhooks(caller, "GET", `/${id}/deliveries`)).body.deliveries;

describe("a receiver", () => {
  test("has what happened to a post, in order and signed, and nothing twice", async ({ expect }) => {
    const caller = await createCaller();
    const hook = await createWebhook(caller);
    const post = await publish(caller, hook);
    expect(post.status).toBe("published");
    const events = await verifiedEvents(hook);
    expect(events.map(({ type }) => type)).toEqual(LIFE);
    expect(events.map(({ data }) => [data.post.id, data.post.status])).toEqual([
      [post.id, "scheduled"],
      [post.id, "publishing"],
      [post.id, "published"],
    ]);
    expect(events.map(({ id, messageId }) => id === messageId)).toEqual([true, true, true]);
    expect(events.map(({ seq }) => seq)).toEqual(events.map(({ seq }) => seq).toSorted((a, b) => a - b));
    // As the API answers, at that moment.
    expect(events.at(-1)?.data.post).toEqual(post);
  });

  test("that was down has everything once it is up again, and the log tells the tries", async ({ expect }) => {
    const caller = await createCaller();
    const hook = await createWebhook(caller);
    await answerWith(hook.receiver, [{ status: 503, body: "down" }]);
    await publish(caller, hook);
    expect(await deliveriesOf(caller, hook)).toEqual(
      LIFE.toReversed().map((event_type) => expect.objectContaining({ event_type, status: "pending" })),
    );
    await answerWith(hook.receiver, []);
    const sender = env.SENDERS.get(env.SENDERS.idFromName(hook.id));
    for (let round = 0; round < LIFE.length; round += 1) {
      vi.setSystemTime(Date.now() + 2 * MINUTE);
      await runDurableObjectAlarm(sender);
    }
    const deliveries = await deliveriesOf(caller, hook);
    for (const { status, tries, next_try_at } of deliveries) {
      expect([status, next_try_at]).toEqual(["delivered", null]);
      expect(tries.at(0)).toMatchObject({ status: 503, response: "down" });
      expect(tries.at(-1)).toMatchObject({ status: 200 });
    }
    // The same message at every try.
    const events = await verifiedEvents(hook);
    expect(new Set(events.map(({ body }) => body)).size).toBe(LIFE.length);
    expect(new Set(events.map(({ messageId }) => messageId)).size).toBe(LIFE.length);
  });

  test("gets a delivery again, and all of them, when it asks", async ({ expect }) => {
    const caller = await createCaller();
    const hook = await createWebhook(caller);
    await publish(caller, hook);
    const [newest] = await deliveriesOf(caller, hook);
    const resent = await callWebhooks(caller, "POST", `/${hook.id}/deliveries/${newest.id}/resend`);
    expect(resent.body.delivery).toMatchObject({ status: "delivered", tries: [{ status: 200 }, { status: 200 }] });
    const [, , last, again] = await verifiedEvents(hook);
    expect([again?.messageId, again?.body]).toEqual([last?.messageId, last?.body]);

    const replayed = await callWebhooks(caller, "POST", `/${hook.id}/replay`, { after_seq: 0 });
    expect(replayed.body).toEqual({ queued: LIFE.length });
    await deliverNow(hook.id);
    expect(await typesAt(hook)).toEqual([...LIFE, "post.published", ...LIFE]);
  });
});
