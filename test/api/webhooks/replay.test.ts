import { describe, test } from "vitest";
import { connectOneAccount, scheduleTextPost } from "../../support/api-workflows.ts";
import { callWebhooks, createWebhook, deliverNow, receivedBy } from "../../support/api-webhooks.ts";
import { callApi } from "../../support/call-api.ts";
import { type ApiCaller, createCaller } from "../../support/create-caller.ts";

const replay = (caller: ApiCaller, id: string, body: unknown, headers = {}) =>
  callWebhooks(caller, "POST", `/${id}/replay`, body, headers);

/** A webhook that has got the events of two posts. */
async function createDelivered() {
  const caller = await createCaller();
  const account = await connectOneAccount(caller);
  const created = await createWebhook(caller, { types: ["post.scheduled"] });
  await scheduleTextPost(caller, account.id);
  await scheduleTextPost(caller, account.id, { caption: "Another glaze" });
  await deliverNow(created.id);
  const { body } = await callApi(caller, { method: "GET", path: "/events?types=post.scheduled" });
  return { caller, ...created, events: body.events };
}

describe("200", () => {
  test("sends the events after a number, or from a time on, once more", async ({ expect }) => {
    const { caller, id, receiver, events } = await createDelivered();
    const ids = events.map((event: { id: string }) => event.id);
    const receivedIds = async () => (await receivedBy(receiver)).map(({ headers }) => headers["webhook-id"]);
    expect(await receivedIds()).toEqual(ids);
    expect(await replay(caller, id, { after_seq: events[0].seq })).toMatchObject({ status: 200, body: { queued: 1 } });
    await deliverNow(id);
    expect(await receivedIds()).toEqual([...ids, ids[1]]);
    expect(await replay(caller, id, { since: events[0].timestamp })).toMatchObject({ body: { queued: 2 } });
    await deliverNow(id);
    expect(await receivedIds()).toEqual([...ids, ids[1], ...ids]);
  });
});

describe("400", () => {
  test.for<[object, string, string]>([
    [{}, "required", "after_seq"],
    [{ after_seq: null, since: null }, "required", "after_seq"],
    [{ after_seq: 0, since: "2026-11-20T09:00:00Z" }, "exclusive_fields", "since"],
    [{ after_seq: -1 }, "out_of_range", "after_seq"],
    [{ after_seq: 1.5 }, "wrong_type", "after_seq"],
    [{ after_seq: "1" }, "wrong_type", "after_seq"],
    [{ since: "yesterday" }, "invalid_format", "since"],
  ])("%j", async ([body, code, param], { expect }) => {
    const caller = await createCaller();
    const { id } = await createWebhook(caller);
    const response = await replay(caller, id, body);
    expect(response).toMatchObject({ status: 400, body: { code: "validation_failed", details: [{ code, param }] } });
  });

  test("of a disabled webhook", async ({ expect }) => {
    const caller = await createCaller();
    const { id } = await createWebhook(caller);
    await callWebhooks(caller, "PATCH", `/${id}`, { enabled: false });
    expect(await replay(caller, id, { after_seq: 0 })).toMatchObject({ status: 400, body: { code: "invalid_state" } });
  });
});

describe("404", () => {
  test("another user's webhook gets the same response as one that does not exist", async ({ expect }) => {
    const { id } = await createWebhook(await createCaller());
    const stranger = await createCaller();
    const same = { "x-request-id": "same" };
    const ofOther = await replay(stranger, id, { after_seq: 0 }, same);
    expect(ofOther.status).toBe(404);
    expect(ofOther.body).toEqual((await replay(stranger, crypto.randomUUID(), { after_seq: 0 }, same)).body);
  });
});
