import { describe, test } from "vitest";
import { callWebhooks, createWebhook } from "../../support/api-webhooks.ts";
import { type ApiCaller, createCaller } from "../../support/create-caller.ts";

const remove = (caller: ApiCaller, id: string, body: unknown = { confirm: true }, headers = {}) =>
  callWebhooks(caller, "DELETE", `/${id}`, body, headers);

describe("200", () => {
  test("it can no longer be read, and its log of deliveries is gone", async ({ expect }) => {
    const caller = await createCaller();
    const { id } = await createWebhook(caller);
    expect(await remove(caller, id)).toMatchObject({ status: 200, body: { id, deleted: true } });
    expect((await callWebhooks(caller, "GET", `/${id}`)).status).toBe(404);
    expect((await callWebhooks(caller, "GET", `/${id}/deliveries`)).status).toBe(404);
    expect((await remove(caller, id)).status).toBe(404);
  });

  test("there is room for another one", async ({ expect }) => {
    const caller = await createCaller();
    const webhooks = await Promise.all(Array.from({ length: 10 }, () => createWebhook(caller)));
    await remove(caller, webhooks[0]?.id ?? "");
    await createWebhook(caller);
    expect((await callWebhooks(caller, "GET", "")).body.webhooks).toHaveLength(10);
  });
});

describe("400", () => {
  test.for([{}, { confirm: false }, { confirm: "true" }, { confirm: null }])(
    "with %j, and the webhook stays",
    async (body, { expect }) => {
      const caller = await createCaller();
      const { id } = await createWebhook(caller);
      expect(await remove(caller, id, body)).toMatchObject({ status: 400, body: { code: "confirmation_required" } });
      expect((await callWebhooks(caller, "GET", `/${id}`)).status).toBe(200);
    },
  );
});

describe("404", () => {
  test("another user's webhook gets the same response as one that does not exist, and stays", async ({ expect }) => {
    const owner = await createCaller();
    const { id } = await createWebhook(owner);
    const stranger = await createCaller();
    const same = { "x-request-id": "same" };
    const ofOther = await remove(stranger, id, { confirm: true }, same);
    expect(ofOther.status).toBe(404);
    expect(ofOther.body).toEqual((await remove(stranger, crypto.randomUUID(), { confirm: true }, same)).body);
    expect((await callWebhooks(owner, "GET", `/${id}`)).status).toBe(200);
  });
});
