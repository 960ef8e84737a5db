import { describe, test } from "vitest";
import { callApi } from "../../support/call-api.ts";
import { connectOneAccount } from "../../support/api-workflows.ts";
import { createCaller } from "../../support/create-caller.ts";

const activate = (caller: Parameters<typeof callApi>[0], id: unknown, headers = {}) =>
  callApi(caller, { method: "POST", path: "/workspaces/active", body: { workspace_id: id }, headers });

describe("200", () => {
  test("later calls use the activated workspace", async ({ expect }) => {
    const caller = await createCaller();
    await connectOneAccount(caller);
    const { body } = await callApi(caller, { method: "POST", path: "/workspaces", body: { name: "Other" } });
    const response = await activate(caller, body.workspace.id);
    expect(response).toMatchObject({ status: 200, body: { workspace: { id: body.workspace.id, is_active: true } } });
    const inNewWorkspace = await callApi(caller, { method: "GET", path: "/accounts" });
    expect(inNewWorkspace.body.accounts).toEqual([]);
    await activate(caller, caller.workspaceId);
    const inFirstWorkspace = await callApi(caller, { method: "GET", path: "/accounts" });
    expect(inFirstWorkspace.body.accounts).toHaveLength(1);
  });
});

describe("400", () => {
  test.for(["", "1", 1, null, "not-a-uuid", "01983c1e7d1a7c3e9a573f1f6f0f2a11"])(
    "%j is not a UUID",
    async (id, { expect }) => {
      const response = await activate(await createCaller(), id);
      expect(response).toMatchObject({ status: 400, body: { param: "workspace_id" } });
    },
  );
});

describe("404", () => {
  test("another user's workspace gets the same response as one that does not exist", async ({ expect }) => {
    const { workspaceId } = await createCaller();
    const otherCaller = await createCaller();
    const ofOtherUser = await activate(otherCaller, workspaceId, { "x-request-id": "same" });
    const missing = await activate(otherCaller, "11111111-1111-1111-1111-111111111111", { "x-request-id": "same" });
    expect(ofOtherUser.status).toBe(404);
    expect(ofOtherUser.body).toEqual(missing.body);
  });
});
