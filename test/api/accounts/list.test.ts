import { describe, test } from "vitest";
import { call } from "../../support/call.ts";
import { connectOne } from "../../support/journey.ts";
import { newCaller } from "../../support/user.ts";

describe("200", () => {
  test("an empty list at first", async ({ expect }) => {
    const answer = await call(await newCaller(), { method: "GET", path: "/accounts" });
    expect(answer).toMatchObject({ status: 200, body: { accounts: [] } });
  });

  test("the connected accounts of the active workspace, without a token", async ({ expect }) => {
    const caller = await newCaller();
    const account = await connectOne(caller);
    const answer = await call(caller, { method: "GET", path: "/accounts" });
    expect(answer.body.accounts).toEqual([
      expect.objectContaining({ id: account.id, workspace_id: caller.workspaceId, platform: "x", status: "active" }),
    ]);
  });

  test("only one platform's on demand", async ({ expect }) => {
    const caller = await newCaller();
    await connectOne(caller);
    const same = await call(caller, { method: "GET", path: "/accounts?platform=x" });
    const other = await call(caller, { method: "GET", path: "/accounts?platform=instagram" });
    expect(same.body.accounts).toHaveLength(1);
    expect(other.body.accounts).toEqual([]);
  });

  test("nobody else's", async ({ expect }) => {
    await connectOne(await newCaller());
    const answer = await call(await newCaller(), { method: "GET", path: "/accounts" });
    expect(answer.body.accounts).toEqual([]);
  });
});

describe("400", () => {
  test.for(["myspace", "", "X"])("for the platform %j", async (platform, { expect }) => {
    const answer = await call(await newCaller(), { method: "GET", path: `/accounts?platform=${platform}` });
    expect(answer).toMatchObject({ status: 400, body: { code: "validation_failed", param: "platform" } });
  });

  test("for two platforms at once", async ({ expect }) => {
    const answer = await call(await newCaller(), { method: "GET", path: "/accounts?platform=x&platform=x" });
    expect(answer.body.details).toEqual([
      { code: "repeated", message: "platform may be given only once", param: "platform" },
    ]);
  });
});
