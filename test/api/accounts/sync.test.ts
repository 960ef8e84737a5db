import { describe, test } from "vitest";
import { call } from "../../support/call.ts";
import { connectOne } from "../../support/journey.ts";
import { newCaller } from "../../support/user.ts";

describe("200", () => {
  test("without a body, and with nothing connected", async ({ expect }) => {
    const answer = await call(await newCaller(), { method: "POST", path: "/accounts/sync" });
    expect(answer).toMatchObject({
      status: 200,
      body: { accounts: [], added: [], updated: [], needs_reconnect: [], skipped: [] },
    });
  });

  test("a body means nothing, whatever it is", async ({ expect }) => {
    const answer = await call(await newCaller(), { method: "POST", path: "/accounts/sync", body: "{" });
    expect(answer.status).toBe(200);
  });

  test("lists the accounts as they are now", async ({ expect }) => {
    const caller = await newCaller();
    const account = await connectOne(caller);
    const answer = await call(caller, { method: "POST", path: "/accounts/sync" });
    expect(answer.body).toMatchObject({ accounts: [{ id: account.id, status: "active" }], added: [] });
  });
});
