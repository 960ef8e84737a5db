import { describe, test } from "vitest";
import { callApi } from "../../support/call-api.ts";
import { connectOneAccount, isoInDays } from "../../support/api-workflows.ts";
import { createCaller } from "../../support/create-caller.ts";

describe("200", () => {
  test("an empty list at first", async ({ expect }) => {
    const response = await callApi(await createCaller(), { method: "GET", path: "/accounts" });
    expect(response).toMatchObject({ status: 200, body: { accounts: [] } });
  });

  test("the connected accounts of the active workspace, without a token", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const response = await callApi(caller, { method: "GET", path: "/accounts" });
    expect(response.body.accounts).toEqual([
      expect.objectContaining({ id: account.id, workspace_id: caller.workspaceId, platform: "x", status: "active" }),
    ]);
  });

  test("the account's own limits, also in the preview of a post; null where those of GET /platforms hold", async ({
    expect,
  }) => {
    const caller = await createCaller();
    await connectOneAccount(caller, "x", "ada");
    await connectOneAccount(caller, "x", "ben");
    const { body } = await callApi(caller, { method: "GET", path: "/accounts" });
    const own = { caption: { max: 25_000 }, media: { videos: { max_seconds: 14_400 } }, rules: expect.any(Array) };
    expect(body.accounts).toEqual([
      expect.objectContaining({ limits: expect.objectContaining({ daily_caps: [] }) }),
      expect.objectContaining({ limits: null }),
    ]);
    expect(body.accounts[0].limits).toMatchObject(own);
    const accountIds = body.accounts.map(({ id }: { readonly id: string }) => id);
    const preview = await callApi(caller, {
      method: "POST",
      path: "/posts/preview",
      body: { caption: "Hello", account_ids: accountIds, scheduled_at: isoInDays(1) },
    });
    expect(preview.body.preview.targets).toMatchObject([{ limits: own }, { limits: null }]);
  });

  test("only accounts of the requested platform", async ({ expect }) => {
    const caller = await createCaller();
    await connectOneAccount(caller);
    const same = await callApi(caller, { method: "GET", path: "/accounts?platform=x" });
    const other = await callApi(caller, { method: "GET", path: "/accounts?platform=instagram" });
    expect(same.body.accounts).toHaveLength(1);
    expect(other.body.accounts).toEqual([]);
  });

  test("no accounts of other users", async ({ expect }) => {
    await connectOneAccount(await createCaller());
    const response = await callApi(await createCaller(), { method: "GET", path: "/accounts" });
    expect(response.body.accounts).toEqual([]);
  });
});

describe("400", () => {
  test.for(["myspace", "", "X"])("for the platform %j", async (platform, { expect }) => {
    const response = await callApi(await createCaller(), { method: "GET", path: `/accounts?platform=${platform}` });
    expect(response).toMatchObject({ status: 400, body: { code: "validation_failed", param: "platform" } });
  });

  test("for two platforms at once", async ({ expect }) => {
    const response = await callApi(await createCaller(), { method: "GET", path: "/accounts?platform=x&platform=x" });
    expect(response.body.details).toEqual([
      { code: "repeated", message: "platform may be given only once", param: "platform" },
    ]);
  });
});
