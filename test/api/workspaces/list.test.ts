import { describe, test } from "vitest";
import { callApi } from "../../support/call-api.ts";
import { createCaller } from "../../support/create-caller.ts";

describe("200", () => {
  test("every user has one active workspace from the start", async ({ expect }) => {
    const caller = await createCaller({ plan: "starter" });
    const response = await callApi(caller, { method: "GET", path: "/workspaces" });
    expect(response).toMatchObject({
      status: 200,
      body: { workspaces: [{ id: caller.workspaceId, is_active: true }] },
    });
  });
});
