import { describe, test } from "vitest";
import { PLAN_LIMITS, PLANS } from "#core/plan.ts";
import wrangler from "../../wrangler.toml?raw";
import { callApi } from "../support/call-api.ts";
import { createAnotherKey, createCaller } from "../support/create-caller.ts";
import { sendUntilLimited } from "../support/send-until-limited.ts";

const [production = ""] = wrangler.split("[env.sandbox]");

describe("the limits in wrangler.toml and in the plans", () => {
  const limitOf = (binding: string) => {
    const [, limit] = /limit = (\d+), period = 60/.exec(production.slice(production.indexOf(`"${binding}"`))) ?? [];
    return Number(limit);
  };

  test.for(PLANS)("agree on %s", (plan, { expect }) => {
    expect(limitOf(`LIMIT_${plan.toUpperCase()}`)).toBe(PLAN_LIMITS[plan].requestsPerMinute);
    expect(limitOf(`LIMIT_USER_${plan.toUpperCase()}`)).toBe(PLAN_LIMITS[plan].userRequestsPerMinute);
  });
});

describe("429", () => {
  test("over the plan's rate, for that credential only", async ({ expect }) => {
    const caller = await createCaller({ plan: "starter" });
    const other = await createAnotherKey(caller, ["workspaces:read"]);
    const responses = await sendUntilLimited(PLAN_LIMITS.starter.requestsPerMinute, () =>
      callApi(caller, { method: "GET", path: "/workspaces" }),
    );
    const last = responses.at(-1);
    expect(last).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(Number(last?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(last?.headers.get("ratelimit-policy")).toBe('"starter";q=120;w=60, "starter-user";q=240;w=60');
    expect(last?.headers.get("ratelimit")).toMatch(/^"starter";r=0;t=\d+$/);
    expect((await callApi(other, { method: "GET", path: "/workspaces" })).status).toBe(200);
  });

  test("for too many invalid credentials from one IP address", async ({ expect }) => {
    const sendInvalid = (address: string) =>
      callApi(null, {
        method: "GET",
        path: "/workspaces",
        headers: { authorization: "Bearer invalid", "cf-connecting-ip": address },
      });
    const address = `2001:db8::${crypto.randomUUID()}`;
    const responses = await sendUntilLimited(60, () => sendInvalid(address));
    expect(responses[0].status).toBe(401);
    expect(responses.at(-1)?.status).toBe(429);
    expect((await sendInvalid(`2001:db8::${crypto.randomUUID()}`)).status).toBe(401);
  });
});
