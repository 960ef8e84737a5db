import { describe, test } from "vitest";
import { callApi } from "../../support/call-api.ts";
import { connectOneAccount, scheduleTextPost } from "../../support/api-workflows.ts";
import { type ApiCaller, createCaller } from "../../support/create-caller.ts";

const disconnect = (caller: ApiCaller, body: unknown) => callApi(caller, { method: "DELETE", path: "/accounts", body });

describe("200", () => {
  test("the account is removed and its posts are paused", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const post = await scheduleTextPost(caller, account.id);
    const response = await disconnect(caller, { account_id: account.id, confirm: true });
    expect(response).toMatchObject({
      status: 200,
      body: { id: account.id, platform: "x", disconnected: true, paused_post_ids: [post.id] },
    });
    const list = await callApi(caller, { method: "GET", path: "/accounts" });
    expect(list.body.accounts).toEqual([]);
    const paused = await callApi(caller, { method: "GET", path: `/posts/${post.id}` });
    expect(paused.body.post).toMatchObject({ status: "paused", paused_reason: "account" });
  });

  test("an id in upper case is accepted", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const response = await disconnect(caller, { account_id: account.id.toUpperCase(), confirm: true });
    expect(response).toMatchObject({ status: 200, body: { id: account.id } });
  });
});

describe("400", () => {
  test.for([{}, { confirm: false }, { confirm: "true" }, { confirm: 1 }, { confirm: null }])(
    "with %j and an account, which stays connected",
    async (confirm, { expect }) => {
      const caller = await createCaller();
      const account = await connectOneAccount(caller);
      const response = await disconnect(caller, { account_id: account.id, ...confirm });
      expect(response).toMatchObject({ status: 400, body: { code: "confirmation_required", param: "confirm" } });
      const list = await callApi(caller, { method: "GET", path: "/accounts" });
      expect(list.body.accounts).toHaveLength(1);
    },
  );

  test("names both problems", async ({ expect }) => {
    const response = await disconnect(await createCaller(), { account_id: "1" });
    expect(response.body.details).toMatchObject([
      { code: "invalid_format", param: "account_id" },
      { code: "required", param: "confirm" },
    ]);
  });
});

describe("404", () => {
  test("another user's account gets the same response as one that does not exist", async ({ expect }) => {
    const account = await connectOneAccount(await createCaller());
    const otherCaller = await createCaller();
    const headers = { "x-request-id": "same" };
    const body = (id: string) => ({ account_id: id, confirm: true });
    const ofOtherUser = await callApi(otherCaller, {
      method: "DELETE",
      path: "/accounts",
      body: body(account.id),
      headers,
    });
    const missing = await callApi(otherCaller, {
      method: "DELETE",
      path: "/accounts",
      body: body(crypto.randomUUID()),
      headers,
    });
    expect(ofOtherUser.status).toBe(404);
    expect(ofOtherUser.body).toEqual(missing.body);
  });

  test("a second time", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    await disconnect(caller, { account_id: account.id, confirm: true });
    expect((await disconnect(caller, { account_id: account.id, confirm: true })).status).toBe(404);
  });
});
