import { describe, test } from "vitest";
import { answerWith, callWebhooks, createWebhook } from "../../support/api-webhooks.ts";
import { createCaller } from "../../support/create-caller.ts";

const get = (caller: Parameters<typeof callWebhooks>[0], id: string) =>
  callWebhooks(caller, "GET", `/${id}`, undefined, { "x-request-id": "same" });

describe("200", () => {
  test("with how its deliveries go", async ({ expect }) => {
    const caller = await createCaller();
    const { id, receiver } = await createWebhook(caller);
    await callWebhooks(caller, "POST", `/${id}/test`);
    await answerWith(receiver, [{ status: 500 }]);
    await callWebhooks(caller, "POST", `/${id}/test`);
    const { body } = await get(caller, id);
    expect(body.webhook.health).toMatchObject({ pending: 0, next_try_at: null });
  });
});

describe("400", () => {
  test("with an id that is not a UUID", async ({ expect }) => {
    expect(await get(await createCaller(), "1")).toMatchObject({ status: 400, body: { param: "id" } });
  });
});

describe("404", () => {
  test("another user's webhook gets the same response as one that does not exist", async ({ expect }) => {
    const { id } = await createWebhook(await createCaller());
    const stranger = await createCaller();
    const ofOther = await get(stranger, id);
    expect(ofOther).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(ofOther.body).toEqual((await get(stranger, crypto.randomUUID())).body);
  });
});
