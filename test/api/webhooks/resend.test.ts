import { describe, test } from "vitest";
import { answerWith, callWebhooks, createWebhook, receivedBy } from "../../support/api-webhooks.ts";
import { type ApiCaller, createCaller } from "../../support/create-caller.ts";

const resend = (caller: ApiCaller, id: string, deliveryId: string, headers = {}) =>
  callWebhooks(caller, "POST", `/${id}/deliveries/${deliveryId}/resend`, undefined, headers);

async function createFailed(response = "") {
  const caller = await createCaller();
  const created = await createWebhook(caller);
  await answerWith(created.receiver, [{ status: 500, body: response }]);
  await callWebhooks(caller, "POST", `/${created.id}/test`);
  const { body } = await callWebhooks(caller, "GET", `/${created.id}/deliveries`);
  return { caller, ...created, delivery: body.deliveries[0] };
}

describe("200", () => {
  test("the same bytes under the same id, and the new try", async ({ expect }) => {
    const { caller, id, receiver, delivery } = await createFailed();
    await answerWith(receiver, [{ status: 204 }]);
    expect(await resend(caller, id, delivery.id)).toMatchObject({
      status: 200,
      body: { delivery: { id: delivery.id, status: "delivered", tries: [{ status: 500 }, { status: 204 }] } },
    });
    const [first, second] = await receivedBy(receiver);
    expect(second?.body).toBe(first?.body);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  });

  test("with the same Idempotency-Key it is not sent once more, however long the answers were", async ({ expect }) => {
    const { caller, id, receiver, delivery } = await createFailed("\u0001".repeat(1024));
    const send = () => resend(caller, id, delivery.id, { "idempotency-key": "one" });
    for (let times = 0; times < 4; times += 1) {
      await resend(caller, id, delivery.id);
    }
    const [first, again] = [await send(), await send()];
    expect(first.status).toBe(200);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
    expect(await receivedBy(receiver)).toHaveLength(6);
  });
});

describe("404", () => {
  test("a delivery that does not exist, or of another user", async ({ expect }) => {
    const { caller, id, receiver, delivery } = await createFailed();
    expect(await resend(caller, id, "dlv_999")).toMatchObject({ status: 404, body: { error: "delivery not found" } });
    const stranger = await createCaller();
    const same = { "x-request-id": "same" };
    const ofOther = await resend(stranger, id, delivery.id, same);
    expect(ofOther.status).toBe(404);
    expect(ofOther.body).toEqual((await resend(stranger, crypto.randomUUID(), delivery.id, same)).body);
    expect(await receivedBy(receiver)).toHaveLength(1);
  });
});
