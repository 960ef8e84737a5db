import { describe, test } from "vitest";
import { connectOneAccount } from "../../support/api-workflows.ts";
import { createWebhook } from "../../support/api-webhooks.ts";
import { callApi } from "../../support/call-api.ts";
import { type ApiCaller, createCaller } from "../../support/create-caller.ts";

const get = (caller: ApiCaller, id: string) =>
  callApi(caller, { method: "GET", path: `/events/${id}`, headers: { "x-request-id": "same" } });

async function createRecorded() {
  const caller = await createCaller();
  await createWebhook(caller);
  await connectOneAccount(caller);
  const { body } = await callApi(caller, { method: "GET", path: "/events" });
  return { caller, event: body.events[0] };
}

describe("200", () => {
  test("the event as the list shows it", async ({ expect }) => {
    const { caller, event } = await createRecorded();
    expect(event.id).toMatch(/^evt_[0-9a-z]+_[0-9a-f]{32}$/);
    expect(await get(caller, event.id)).toMatchObject({ status: 200, body: { event } });
  });
});

describe("404", () => {
  test("another user's event gets the same response as one that does not exist", async ({ expect }) => {
    const { event } = await createRecorded();
    const stranger = await createCaller();
    const ofOther = await get(stranger, event.id);
    expect(ofOther).toMatchObject({ status: 404, body: { code: "not_found" } });
    for (const id of ["evt_1_2", "evt_test_5f0c6a1e9b3d4c7f8a2e1d0b9c8f7e6a", "x", crypto.randomUUID()]) {
      expect((await get(stranger, id)).body).toEqual(ofOther.body);
    }
  });
});
