import { describe, test } from "vitest";
import { call } from "../../support/call.ts";
import { newCaller } from "../../support/user.ts";

const create = (caller: Parameters<typeof call>[0], body: unknown) =>
  call(caller, { method: "POST", path: "/workspaces", body });

describe("201", () => {
  test("the name is trimmed, and the active workspace stays", async ({ expect }) => {
    const caller = await newCaller();
    const answer = await create(caller, { name: "  Studio  " });
    expect(answer).toMatchObject({ status: 201, body: { workspace: { name: "Studio", is_active: false } } });
    const list = await call(caller, { method: "GET", path: "/workspaces" });
    expect(list.body.workspaces).toHaveLength(2);
  });

  test("100 characters are taken", async ({ expect }) => {
    const answer = await create(await newCaller(), { name: "ä".repeat(100) });
    expect(answer.status).toBe(201);
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
    const answer = await create(await newCaller(), body);
    expect(answer).toMatchObject({ status: 400, body: { code: "validation_failed", param: "name" } });
  });
});

describe("403", () => {
  test.for(["starter", "growth"] as const)("on the %s plan", async (plan, { expect }) => {
    const answer = await create(await newCaller({ plan }), { name: "Studio" });
    expect(answer).toMatchObject({ status: 403, body: { code: "plan_required" } });
  });

  test("but 400 first for a body that is wrong anyway", async ({ expect }) => {
    const answer = await create(await newCaller({ plan: "starter" }), {});
    expect(answer.status).toBe(400);
  });
});
