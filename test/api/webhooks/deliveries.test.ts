import { describe, test } from "vitest";
import { answerWith, callWebhooks, createWebhook } from "../../support/api-webhooks.ts";
import { type ApiCaller, createCaller } from "../../support/create-caller.ts";

const list = (caller: ApiCaller, id: string, query = "", headers = {}) =>
  callWebhooks(caller, "GET", `/${id}/deliveries${query}`, undefined, headers);

/** A webhook with three tests in its log: delivered, failed, delivered. */
async function createWithLog() {
  const caller = await createCaller();
  const created = await createWebhook(caller);
  for (const status of [200, 500, 204]) {
    await answerWith(created.receiver, [{ status, body: status === 204 ? "" : `says ${status}` }]);
    await callWebhooks(caller, "POST", `/${created.id}/test`);
  }
  return { caller, ...created };
}

describe("200", () => {
  test("newest first, with every try and without bodies", async ({ expect }) => {
    const { caller, id } = await createWithLog();
    const { status, body } = await list(caller, id);
    expect(status).toBe(200);
    expect(body.next_before).toBeNull();
    expect(body.deliveries).toMatchObject([
      { webhook_id: id, event_type: "webhook.test", status: "delivered", tries: [{ status: 204, response: "" }] },
      { status: "failed", next_try_at: null, tries: [{ status: 500, response: "says 500" }] },
      { status: "delivered", tries: [{ status: 200, response: "says 200" }] },
    ]);
  });

  test("only those with a status, and page by page", async ({ expect }) => {
    const { caller, id } = await createWithLog();
    const { deliveries } = (await list(caller, id)).body;
    expect((await list(caller, id, "?status=failed")).body.deliveries).toEqual([deliveries[1]]);
    const first = (await list(caller, id, "?limit=2")).body;
    expect(first.deliveries).toEqual(deliveries.slice(0, 2));
    const second = (await list(caller, id, `?limit=2&before=${encodeURIComponent(first.next_before)}`)).body;
    expect(second).toEqual({ deliveries: deliveries.slice(2), next_before: null });
  });
});

describe("400", () => {
  test.for([
    ["?status=lost", "status"],
    ["?limit=0", "limit"],
    ["?limit=101", "limit"],
    ["?limit=1e3", "limit"],
  ] as const)("%s", async ([query, param], { expect }) => {
    const caller = await createCaller();
    const { id } = await createWebhook(caller);
    expect(await list(caller, id, query)).toMatchObject({ status: 400, body: { param } });
  });
});

describe("404", () => {
  test("another user's webhook gets the same response as one that does not exist", async ({ expect }) => {
    const { id } = await createWithLog();
    const stranger = await createCaller();
    const same = { "x-request-id": "same" };
    const ofOther = await list(stranger, id, "", same);
    expect(ofOther.status).toBe(404);
    expect(ofOther.body).toEqual((await list(stranger, crypto.randomUUID(), "", same)).body);
  });
});
