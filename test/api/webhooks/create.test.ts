import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { createCaller } from "../../support/create-caller.ts";
import { callApi } from "../../support/call-api.ts";
import { callWebhooks, createWebhook } from "../../support/api-webhooks.ts";

const URL_OF_SHOP = "https://shop.example.com/almanac";
const HEALTHY = { last_success_at: null, last_failure_at: null, failures: 0, pending: 0, next_try_at: null };

describe("201", () => {
  test("the webhook with its health, and the secret this one time", async ({ expect }) => {
    const caller = await createCaller();
    const body = { url: URL_OF_SHOP, types: ["post.failed"], description: "Shop" };
    const created = await callWebhooks(caller, "POST", "", body);
    expect(created).toMatchObject({
      status: 201,
      body: {
        webhook: { ...body, workspace_id: caller.workspaceId, enabled: true, disabled_reason: null, health: HEALTHY },
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      },
    });
    const read = await callWebhooks(caller, "GET", `/${created.body.webhook.id}`);
    expect(read.body).toEqual({ webhook: created.body.webhook });
    expect(JSON.stringify(read.body)).not.toContain(created.body.secret);
  });

  test("without a description, or with null as reads return what is not set", async ({ expect }) => {
    const caller = await createCaller();
    for (const description of [undefined, null]) {
      const { webhook } = await createWebhook(caller, { description });
      expect(webhook.description).toBe("");
    }
  });

  test("the same Idempotency-Key gives the same webhook and secret, which are stored sealed", async ({ expect }) => {
    const caller = await createCaller();
    const create = () =>
      callWebhooks(caller, "POST", "", { url: URL_OF_SHOP, types: ["*"] }, { "idempotency-key": "one" });
    const [first, again] = [await create(), await create()];
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
    expect((await callWebhooks(caller, "GET", "")).body.webhooks).toHaveLength(1);
    const { results } = await env.DB.prepare("SELECT * FROM idempotency_records WHERE user_id = ?")
      .bind(caller.userId)
      .all();
    expect(results).toHaveLength(1);
    expect(JSON.stringify(results)).not.toContain(first.body.secret.slice(6, 30));
    expect(JSON.stringify(results)).not.toContain("whsec");
  });
});

describe("400", () => {
  test.for<[object, string, string]>([
    [{ types: ["*"] }, "required", "url"],
    [{ url: 5, types: ["*"] }, "wrong_type", "url"],
    [{ url: URL_OF_SHOP }, "required", "types"],
    [{ url: URL_OF_SHOP, types: [] }, "out_of_range", "types"],
    [{ url: URL_OF_SHOP, types: "*" }, "wrong_type", "types"],
    [{ url: URL_OF_SHOP, types: ["post.exploded"] }, "invalid_value", "types[0]"],
    [{ url: URL_OF_SHOP, types: ["post.failed", "webhook.test"] }, "invalid_value", "types[1]"],
    [{ url: URL_OF_SHOP, types: ["*"], description: "a".repeat(201) }, "out_of_range", "description"],
    [{ url: URL_OF_SHOP, types: ["*"], description: "a\nb" }, "invalid_characters", "description"],
    [{ url: "http://shop.example.com/", types: ["*"] }, "url_not_https", "url"],
    [{ url: "https://user:pass@shop.example.com/", types: ["*"] }, "url_has_credentials", "url"],
    [{ url: `https://shop.example.com/${"a".repeat(2048)}`, types: ["*"] }, "url_too_long", "url"],
    [{ url: "https://10.0.0.1/", types: ["*"] }, "url_not_public", "url"],
    [{ url: "https://shop.example.com:8443/", types: ["*"] }, "url_has_port", "url"],
    [{ url: "shop.example.com", types: ["*"] }, "url_invalid", "url"],
  ])("%j", async ([body, code, param], { expect }) => {
    const response = await callWebhooks(await createCaller(), "POST", "", body);
    expect(response).toMatchObject({
      status: 400,
      body: { code: "validation_failed", param, details: [{ code, param }] },
    });
  });
});

describe("403", () => {
  test("the eleventh of eleven parallel ones names the limit", async ({ expect }) => {
    const caller = await createCaller({ plan: "starter" });
    const create = () => callWebhooks(caller, "POST", "", { url: URL_OF_SHOP, types: ["*"] });
    const responses = await Promise.all(Array.from({ length: 11 }, create));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(responses.filter(({ status }) => status !== 201)).toMatchObject([
      {
        status: 403,
        body: {
          code: "quota_exceeded",
          details: [{ code: "quota_exceeded", message: "webhooks", limit: 10, actual: 10 }],
        },
      },
    ]);
    const { body } = await callApi(caller, { method: "GET", path: "/limits" });
    expect(body.limits.webhooks).toEqual({ limit: 10, used: 10, resets_at: null });
  });
});
