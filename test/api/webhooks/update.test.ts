import { describe, test } from "vitest";
import { callWebhooks, createWebhook } from "../../support/api-webhooks.ts";
import { type ApiCaller, createCaller } from "../../support/create-caller.ts";

const update = (caller: ApiCaller, id: string, body: unknown, headers = {}) =>
  callWebhooks(caller, "PATCH", `/${id}`, body, headers);

describe("200", () => {
  test("changes what is given; null leaves a member as it is", async ({ expect }) => {
    const caller = await createCaller();
    const { id, webhook } = await createWebhook(caller, { description: "Shop" });
    const url = "https://other.example.com/";
    const changed = await update(caller, id, { url, types: ["post.failed", "post.failed"] });
    expect(changed).toMatchObject({
      status: 200,
      body: { webhook: { url, types: ["post.failed"], description: "Shop" } },
    });
    expect(changed.body.webhook.updated_at >= webhook.updated_at).toBe(true);
    const renamed = await update(caller, id, {
      url: null,
      description: "Till",
      types: null,
      enabled: null,
      missed: null,
    });
    expect(renamed.body.webhook).toMatchObject({ url, types: ["post.failed"], description: "Till", enabled: true });
  });

  test("switches it off, and on again with a word on what was missed", async ({ expect }) => {
    const caller = await createCaller();
    const { id } = await createWebhook(caller);
    const off = await update(caller, id, { enabled: false });
    expect(off.body.webhook).toMatchObject({
      enabled: false,
      disabled_reason: "user",
      disabled_at: expect.any(String),
    });
    for (const missed of ["send", "skip"]) {
      const on = await update(caller, id, { enabled: true, missed });
      expect(on.body.webhook).toMatchObject({ enabled: true, disabled_reason: null, disabled_at: null });
      await update(caller, id, { enabled: false });
    }
  });

  test("what is read can be sent back", async ({ expect }) => {
    const caller = await createCaller();
    const { id, webhook } = await createWebhook(caller);
    const again = await update(caller, id, webhook);
    expect({ ...again.body.webhook, updated_at: "" }).toEqual({ ...webhook, updated_at: "" });
  });
});

describe("400", () => {
  test("a change that names nothing", async ({ expect }) => {
    const caller = await createCaller();
    const { id } = await createWebhook(caller);
    for (const body of [{}, { missed: "send" }, { url: null, enabled: null }]) {
      expect(await update(caller, id, body)).toMatchObject({
        status: 400,
        body: { code: "validation_failed", details: [{ code: "no_changes" }] },
      });
    }
  });

  test("on without a word on what was missed, and it stays off", async ({ expect }) => {
    const caller = await createCaller();
    const { id } = await createWebhook(caller);
    await update(caller, id, { enabled: false });
    expect(await update(caller, id, { enabled: true })).toMatchObject({
      status: 400,
      body: { code: "validation_failed", param: "missed", details: [{ code: "required", param: "missed" }] },
    });
    expect((await callWebhooks(caller, "GET", `/${id}`)).body.webhook.enabled).toBe(false);
  });

  test.for<[object, string]>([
    [{ url: "https://127.0.0.1.nip.io/" }, "url"],
    [{ url: "" }, "url"],
    [{ types: [] }, "types"],
    [{ types: ["x"] }, "types[0]"],
    [{ enabled: "no" }, "enabled"],
    [{ missed: "all" }, "missed"],
    [{ description: 1 }, "description"],
  ])("%j", async ([body, param], { expect }) => {
    const caller = await createCaller();
    const { id, webhook } = await createWebhook(caller);
    expect(await update(caller, id, body)).toMatchObject({ status: 400, body: { code: "validation_failed", param } });
    expect((await callWebhooks(caller, "GET", `/${id}`)).body.webhook).toEqual(webhook);
  });
});

describe("404", () => {
  test("another user's webhook gets the same response as one that does not exist", async ({ expect }) => {
    const { id } = await createWebhook(await createCaller());
    const stranger = await createCaller();
    const same = { "x-request-id": "same" };
    for (const body of [{ description: "Mine" }, { enabled: true }]) {
      const ofOther = await update(stranger, id, body, same);
      expect(ofOther).toMatchObject({ status: 404, body: { code: "not_found" } });
      expect(ofOther.body).toEqual((await update(stranger, crypto.randomUUID(), body, same)).body);
    }
  });
});
