import { describe, test } from "vitest";
import { call } from "../../support/call.ts";
import { newCaller } from "../../support/user.ts";

describe("200", () => {
  test("everyone has one from the start, and it is active", async ({ expect }) => {
    const caller = await newCaller({ plan: "starter" });
    const answer = await call(caller, { method: "GET", path: "/workspaces" });
    expect(answer).toMatchObject({
      status: 200,
      body: { workspaces: [{ id: caller.workspaceId, is_active: true }] },
    });
  });
});
