import { describe, test } from "vitest";
import { callWebhooks, createWebhook, receivedBy } from "../../support/api-webhooks.ts";
import { createCaller } from "../../support/create-caller.ts";

async function createDelivered() {
  const caller = await createCaller();
  const created = await createWebhook(caller);
  await callWebhooks(caller, "POST", `/${created.id}/test`);
  const { body } = await callWebhooks(caller, "GET", `/${created.id}/deliveries`);
  return { caller, ...created, delivery: body.deliveries[0] };
}

describe("200", () => {
  test("with exactly the body that was sent", async ({ expect }) => {
    const { caller, id, receiver, delivery } = await createDelivered();
    const [received] = await receivedBy(receiver);
    const read = await callWebhooks(caller, "GET", `/${id}/deliveries/${delivery.id}`);
    expect(read.body).toEqual({ delivery: { ...delivery, body: received?.body } });
  });
});

describe("404", () => {
  test("a delivery that does not exist, and one of another webhook or user", async ({ expect }) => {
    const { caller, id, delivery } = await createDelivered();
    const { id: otherId } = await createWebhook(caller);
    expect(delivery.id).toBe(`dlv_${id.slice(-12)}_1`);
    // Both have a first delivery, whose ids differ.
    await callWebhooks(caller, "POST", `/${otherId}/test`);
    const others = await callWebhooks(caller, "GET", `/${otherId}/deliveries`);
    expect(others.body.deliveries).toHaveLength(1);
    expect(others.body.deliveries[0].id).not.toBe(delivery.id);
    const stranger = await createCaller();
    const calls = [
      await callWebhooks(caller, "GET", `/${id}/deliveries/dlv_999`),
      await callWebhooks(caller, "GET", `/${id}/deliveries/nonsense`),
      await callWebhooks(caller, "GET", `/${otherId}/deliveries/${delivery.id}`),
    ];
    for (const { status, body } of calls) {
      expect([status, body.error]).toEqual([404, "delivery not found"]);
    }
    const same = { "x-request-id": "same" };
    const ofOther = await callWebhooks(stranger, "GET", `/${id}/deliveries/${delivery.id}`, undefined, same);
    const missing = `/${crypto.randomUUID()}/deliveries/${delivery.id}`;
    expect(ofOther.status).toBe(404);
    expect(ofOther.body).toEqual((await callWebhooks(stranger, "GET", missing, undefined, same)).body);
  });
});
