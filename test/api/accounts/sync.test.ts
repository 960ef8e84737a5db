import { describe, test } from "vitest";
import { callApi } from "../../support/call-api.ts";
import { connectOneAccount } from "../../support/api-workflows.ts";
import { createCaller } from "../../support/create-caller.ts";

describe("200", () => {
  test("without a body, and with nothing connected", async ({ expect }) => {
    const response = await callApi(await createCaller(), { method: "POST", path: "/accounts/sync" });
    expect(response).toMatchObject({
      status: 200,
      body: { accounts: [], added: [], updated: [], needs_reconnect: [], skipped: [] },
    });
  });

  test("a body is ignored, even an invalid one", async ({ expect }) => {
    const response = await callApi(await createCaller(), { method: "POST", path: "/accounts/sync", body: "{" });
    expect(response.status).toBe(200);
  });

  test("returns the current accounts", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const response = await callApi(caller, { method: "POST", path: "/accounts/sync" });
    expect(response.body).toMatchObject({ accounts: [{ id: account.id, status: "active" }], added: [] });
  });
});
