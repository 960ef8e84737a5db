import { describe, test } from "vitest";
import { PLAN_LIMITS, PLANS } from "#core/plan.ts";
import wrangler from "../../wrangler.toml?raw";
import { call } from "../support/call.ts";
import { anotherKey, newCaller } from "../support/user.ts";

const [production = ""] = wrangler.split("[env.sandbox]");

describe("the limiter and the plans", () => {
  test.for(PLANS)("agree on %s", (plan, { expect }) => {
    const binding = `name = "LIMIT_${plan.toUpperCase()}"`;
    const [, limit] = /limit = (\d+), period = 60/.exec(production.slice(production.indexOf(binding))) ?? [];
    expect(Number(limit)).toBe(PLAN_LIMITS[plan].requestsPerMinute);
  });
});

describe("429", () => {
  test("over the plan's rate, for that credential alone", async ({ expect }) => {
    const caller = await newCaller({ plan: "starter" });
    const other = await anotherKey(caller, ["workspaces:read"]);
    const over = PLAN_LIMITS.starter.requestsPerMinute + 30;
    const answers = [];
    for (let sent = 0; sent < over; sent += 1) {
      answers.push(await call(caller, { method: "GET", path: "/workspaces" }));
    }
    const last = answers.at(-1);
    expect(last).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(Number(last?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(last?.headers.get("ratelimit-policy")).toBe('"starter";q=120;w=60');
    expect(last?.headers.get("ratelimit")).toMatch(/^"starter";r=0;t=\d+$/);
    expect((await call(other, { method: "GET", path: "/workspaces" })).status).toBe(200);
  });

  test("for too much junk from one address", async ({ expect }) => {
    const junk = (address: string) =>
      call(null, {
        method: "GET",
        path: "/workspaces",
        headers: { authorization: "Bearer junk", "cf-connecting-ip": address },
      });
    const address = `2001:db8::${crypto.randomUUID()}`;
    const statuses = [];
    for (let sent = 0; sent < 80; sent += 1) {
      statuses.push((await junk(address)).status);
    }
    expect(statuses[0]).toBe(401);
    expect(statuses.at(-1)).toBe(429);
    expect((await junk(`2001:db8::${crypto.randomUUID()}`)).status).toBe(401);
  });
});
