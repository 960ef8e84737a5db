import { describe, test } from "vitest";
import { call } from "../../support/call.ts";
import { connectOne, scheduleText } from "../../support/journey.ts";
import { type Caller, newCaller } from "../../support/user.ts";

const disconnect = (caller: Caller, body: unknown) => call(caller, { method: "DELETE", path: "/accounts", body });

describe("200", () => {
  test("the account is gone and its posts are paused", async ({ expect }) => {
    const caller = await newCaller();
    const account = await connectOne(caller);
    const post = await scheduleText(caller, account.id);
    const answer = await disconnect(caller, { account_id: account.id, confirm: true });
    expect(answer).toMatchObject({
      status: 200,
      body: { id: account.id, platform: "x", disconnected: true, paused_post_ids: [post.id] },
    });
    const list = await call(caller, { method: "GET", path: "/accounts" });
    expect(list.body.accounts).toEqual([]);
    const paused = await call(caller, { method: "GET", path: `/posts/${post.id}` });
    expect(paused.body.post).toMatchObject({ status: "paused", paused_reason: "account" });
  });

  test("an id is an id in either case", async ({ expect }) => {
    const caller = await newCaller();
    const account = await connectOne(caller);
    const answer = await disconnect(caller, { account_id: account.id.toUpperCase(), confirm: true });
    expect(answer).toMatchObject({ status: 200, body: { id: account.id } });
  });
});

describe("400", () => {
  test.for([{}, { confirm: false }, { confirm: "true" }, { confirm: 1 }, { confirm: null }])(
    "with %j and an account, and nothing happens",
    async (confirm, { expect }) => {
      const caller = await newCaller();
      const account = await connectOne(caller);
      const answer = await disconnect(caller, { account_id: account.id, ...confirm });
      expect(answer).toMatchObject({ status: 400, body: { code: "confirmation_required", param: "confirm" } });
      const list = await call(caller, { method: "GET", path: "/accounts" });
      expect(list.body.accounts).toHaveLength(1);
    },
  );

  test("both problems are named at once", async ({ expect }) => {
    const answer = await disconnect(await newCaller(), { account_id: "1" });
    expect(answer.body.details).toMatchObject([
      { code: "invalid_format", param: "account_id" },
      { code: "required", param: "confirm" },
    ]);
  });
});

describe("404", () => {
  test("somebody else's account looks like one that does not exist", async ({ expect }) => {
    const account = await connectOne(await newCaller());
    const stranger = await newCaller();
    const headers = { "x-request-id": "same" };
    const body = (id: string) => ({ account_id: id, confirm: true });
    const theirs = await call(stranger, { method: "DELETE", path: "/accounts", body: body(account.id), headers });
    const missing = await call(stranger, {
      method: "DELETE",
      path: "/accounts",
      body: body(crypto.randomUUID()),
      headers,
    });
    expect(theirs.status).toBe(404);
    expect(theirs.body).toEqual(missing.body);
  });

  test("a second time", async ({ expect }) => {
    const caller = await newCaller();
    const account = await connectOne(caller);
    await disconnect(caller, { account_id: account.id, confirm: true });
    expect((await disconnect(caller, { account_id: account.id, confirm: true })).status).toBe(404);
  });
});
