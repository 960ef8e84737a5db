import { describe, test } from "vitest";
import { callApi } from "../../support/call-api.ts";
import { createCaller } from "../../support/create-caller.ts";

const create = (caller: Parameters<typeof callApi>[0], body: unknown) =>
  callApi(caller, { method: "POST", path: "/workspaces", body });

describe("201", () => {
  test("the name is trimmed, and the active workspace stays", async ({ expect }) => {
    const caller = await createCaller();
    const response = await create(caller, { name: "  Studio  " });
    expect(response).toMatchObject({ status: 201, body: { workspace: { name: "Studio", is_active: false } } });
    const list = await callApi(caller, { method: "GET", path: "/workspaces" });
    expect(list.body.workspaces).toHaveLength(2);
  });

  test("100 characters are accepted", async ({ expect }) => {
    const response = await create(await createCaller(), { name: "ä".repeat(100) });
    expect(response.status).toBe(201);
  });
});

describe("400", () => {
  test.for([
    {},
    { name: "" },
    { name: "   " },
    { name: "x".repeat(101) },
    { name: 1 },
    { name: null },
    { name: ["a"] },
  ])("%j", async (body, { expect }) => {
    const response = await create(await createCaller(), body);
    expect(response).toMatchObject({ status: 400, body: { code: "validation_failed", param: "name" } });
  });
});

describe("403", () => {
  test.for(["starter", "growth"] as const)("on the %s plan", async (plan, { expect }) => {
    const response = await create(await createCaller({ plan }), { name: "Studio" });
    expect(response).toMatchObject({ status: 403, body: { code: "plan_required" } });
  });

  test("400 has priority for an invalid body", async ({ expect }) => {
    const response = await create(await createCaller({ plan: "starter" }), {});
    expect(response.status).toBe(400);
  });
});
