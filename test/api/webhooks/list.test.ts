import { describe, test } from "vitest";
import { callWebhooks, createWebhook } from "../../support/api-webhooks.ts";
import { callApi } from "../../support/call-api.ts";
import { createCaller } from "../../support/create-caller.ts";

describe("200", () => {
  test("those of the active workspace, oldest first, each with its health", async ({ expect }) => {
    const caller = await createCaller();
    const [first, second] = [await createWebhook(caller), await createWebhook(caller)];
    expect((await callWebhooks(caller, "GET", "")).body).toEqual({ webhooks: [first.webhook, second.webhook] });

    const { body } = await callApi(caller, { method: "POST", path: "/workspaces", body: { name: "Studio" } });
    const active = { workspace_id: body.workspace.id };
    await callApi(caller, { method: "POST", path: "/workspaces/active", body: active });
    expect((await callWebhooks(caller, "GET", "")).body).toEqual({ webhooks: [] });
    expect((await callWebhooks(caller, "GET", `/${first.id}`)).status).toBe(404);
  });

  test("none of another user", async ({ expect }) => {
    await createWebhook(await createCaller());
    expect((await callWebhooks(await createCaller(), "GET", "")).body).toEqual({ webhooks: [] });
  });
});
