import { describe, test } from "vitest";
import { call } from "../../support/call.ts";
import { connectOne } from "../../support/journey.ts";
import { newCaller } from "../../support/user.ts";

const activate = (caller: Parameters<typeof call>[0], id: unknown, headers = {}) =>
  call(caller, { method: "POST", path: "/workspaces/active", body: { workspace_id: id }, headers });

describe("200", () => {
  test("decides what every later call sees", async ({ expect }) => {
    const caller = await newCaller();
    await connectOne(caller);
    const { body } = await call(caller, { method: "POST", path: "/workspaces", body: { name: "Other" } });
    const answer = await activate(caller, body.workspace.id);
    expect(answer).toMatchObject({ status: 200, body: { workspace: { id: body.workspace.id, is_active: true } } });
    const elsewhere = await call(caller, { method: "GET", path: "/accounts" });
    expect(elsewhere.body.accounts).toEqual([]);
    await activate(caller, caller.workspaceId);
    const back = await call(caller, { method: "GET", path: "/accounts" });
    expect(back.body.accounts).toHaveLength(1);
  });
});

describe("400", () => {
  test.for(["", "1", 1, null, "not-a-uuid", "01983c1e7d1a7c3e9a573f1f6f0f2a11"])(
    "%j is no UUID",
    async (id, { expect }) => {
      const answer = await activate(await newCaller(), id);
      expect(answer).toMatchObject({ status: 400, body: { param: "workspace_id" } });
    },
  );
});

describe("404", () => {
  test("somebody else's workspace looks like one that does not exist", async ({ expect }) => {
    const { workspaceId } = await newCaller();
    const stranger = await newCaller();
    const theirs = await activate(stranger, workspaceId, { "x-request-id": "same" });
    const missing = await activate(stranger, "11111111-1111-1111-1111-111111111111", { "x-request-id": "same" });
    expect(theirs.status).toBe(404);
    expect(theirs.body).toEqual(missing.body);
  });
});
