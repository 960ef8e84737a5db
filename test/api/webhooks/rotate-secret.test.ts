import { describe, test } from "vitest";
import { DAY } from "#core/clock.ts";
import { callWebhooks, createWebhook } from "../../support/api-webhooks.ts";
import { type ApiCaller, createCaller } from "../../support/create-caller.ts";

const rotate = (caller: ApiCaller, id: string, headers = {}) =>
  callWebhooks(caller, "POST", `/${id}/rotate-secret`, undefined, headers);

describe("200", () => {
  test("a new secret, and the old one signs for a day", async ({ expect }) => {
    const caller = await createCaller();
    const { id, secret } = await createWebhook(caller);
    const before = Date.now();
    const { status, body } = await rotate(caller, id);
    expect(status).toBe(200);
    expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(body.secret).not.toBe(secret);
    expect(Date.parse(body.webhook.previous_secret_until)).toBeGreaterThanOrEqual(before + DAY);
    expect((await callWebhooks(caller, "GET", `/${id}`)).body.webhook).toEqual(body.webhook);
  });

  test("with the same Idempotency-Key the same secret", async ({ expect }) => {
    const caller = await createCaller();
    const { id } = await createWebhook(caller);
    const key = { "idempotency-key": "one" };
    const [first, again] = [await rotate(caller, id, key), await rotate(caller, id, key)];
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
  });
});

describe("404", () => {
  test("another user's webhook gets the same response as one that does not exist", async ({ expect }) => {
    const { id } = await createWebhook(await createCaller());
    const stranger = await createCaller();
    const same = { "x-request-id": "same" };
    const ofOther = await rotate(stranger, id, same);
    expect(ofOther.status).toBe(404);
    expect(ofOther.body).toEqual((await rotate(stranger, crypto.randomUUID(), same)).body);
  });
});
