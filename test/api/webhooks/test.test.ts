import { describe, test } from "vitest";
import { EVENT_BODIES } from "#wire/schemas/event.ts";
import { answerWith, callWebhooks, createWebhook, receivedBy } from "../../support/api-webhooks.ts";
import { type ApiCaller, createCaller } from "../../support/create-caller.ts";

const sendTest = (caller: ApiCaller, id: string, headers = {}) =>
  callWebhooks(caller, "POST", `/${id}/test`, undefined, headers);

describe("200", () => {
  test("sends webhook.test at once and answers with what the receiver said", async ({ expect }) => {
    const caller = await createCaller();
    const { id, receiver } = await createWebhook(caller, { description: "Shop" });
    await answerWith(receiver, [{ status: 202, body: "thank you" }]);
    expect(await sendTest(caller, id)).toMatchObject({
      status: 200,
      body: { delivered: true, result: { status: 202, error: null, response: "thank you" } },
    });
    const [delivery, ...others] = await receivedBy(receiver);
    expect(others).toEqual([]);
    const body = JSON.parse(delivery?.body ?? "{}");
    expect(EVENT_BODIES["webhook.test"].parse(body)).toEqual(body);
    expect(body).toMatchObject({
      id: delivery?.headers["webhook-id"],
      type: "webhook.test",
      workspace_id: caller.workspaceId,
      data: { webhook: { id, description: "Shop" } },
    });
    expect(delivery?.headers["webhook-signature"]).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
  });

  test("a refusal of the receiver is told, and not repeated", async ({ expect }) => {
    const caller = await createCaller();
    const { id, receiver } = await createWebhook(caller);
    await answerWith(receiver, [{ status: 500, body: "out of order" }]);
    expect(await sendTest(caller, id)).toMatchObject({
      status: 200,
      body: { delivered: false, result: { status: 500, response: "out of order" } },
    });
    expect(await receivedBy(receiver)).toHaveLength(1);
    expect((await callWebhooks(caller, "GET", `/${id}`)).body.webhook.enabled).toBe(true);
  });

  test("also of a disabled webhook", async ({ expect }) => {
    const caller = await createCaller();
    const { id } = await createWebhook(caller);
    await callWebhooks(caller, "PATCH", `/${id}`, { enabled: false });
    expect((await sendTest(caller, id)).body.delivered).toBe(true);
  });
});

describe("404", () => {
  test("another user's webhook gets the same response as one that does not exist, and nothing is sent", async ({
    expect,
  }) => {
    const { id, receiver } = await createWebhook(await createCaller());
    const stranger = await createCaller();
    const same = { "x-request-id": "same" };
    const ofOther = await sendTest(stranger, id, same);
    expect(ofOther.status).toBe(404);
    expect(ofOther.body).toEqual((await sendTest(stranger, crypto.randomUUID(), same)).body);
    expect(await receivedBy(receiver)).toEqual([]);
  });
});
